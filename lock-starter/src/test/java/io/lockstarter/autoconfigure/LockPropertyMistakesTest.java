package io.lockstarter.autoconfigure;

import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Properties that no registry could work with fail the start.
 */
class LockPropertyMistakesTest {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withPropertyValues("distributed-lock.store=memory")
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class, LockInterceptorAutoConfiguration.class,
				LockDisabledAutoConfiguration.class));

	static Stream<Arguments> mistakes() {
		return Stream.of(arguments("ttl", "5ms", "'5ms', but must be between 10ms and 365d", "'30s'"),
				arguments("ttl", "366d", "'366d', but must be between", "'30s'"),
				arguments("ttl", "30", "'30', but has no unit", "'30s' for seconds"),
				arguments("wait-time", "-1s", "'-1s', but must be between 0s and", "'30s'"),
				arguments("wait-time", "0", "'0', but has no unit", "'0s' for seconds"),
				arguments("command-timeout", "0s", "'0s', but must be between 1ms and", "'30s'"),
				arguments("command-timeout", "30s",
						"'30s', but must be shorter than 'distributed-lock.ttl', which is '30s'",
						"lengthen 'distributed-lock.ttl'"),
				arguments("poll-interval", "0ms", "'0ms', but must be between 1ms", "'30s'"),
				arguments("slice", "-1ms", "'-1ms', but must be between 0s", "'30s'"),
				arguments("slice", "1m", "'60s', but must be shorter than 'distributed-lock.ttl'",
						"Shorten 'distributed-lock.slice'"),
				arguments("shutdown-grace", "PT-1S", "'PT-1S', but must be between 0s", "'30s'"),
				arguments("fence-retention", "1ms", "'1ms', but must be between 1s", "'30s'"),
				arguments("drift", "0.6", "'0.6', but must be between 0 and 0.5", "one percent"),
				arguments("drift", "-0.1", "'-0.1', but must be between 0 and 0.5", "one percent"),
				arguments("drift", "NaN", "'NaN', but must be between 0 and 0.5", "one percent"),
				arguments("key-prefix", "{lock}", "'{lock}', but must be 1 to 100 characters", "'orders:lock'"),
				arguments("key-prefix", "", "'', but must be 1 to 100 characters", "'orders:lock'"),
				arguments("key-prefix", "a b", "'a b', but must be 1 to 100 characters", "'orders:lock'"));
	}

	@ParameterizedTest
	@MethodSource("mistakes")
	void valueThatCannotBeIsRefusedWithItsRemedy(String name, String value, String problem, String remedy) {
		this.runner.withPropertyValues("distributed-lock.%s=%s".formatted(name, value)).run((context) -> {
			assertThat(context).hasFailed();
			FailureAnalysis analysis = new InvalidLockPropertyFailureAnalyzer().analyze(context.getStartupFailure());
			assertThat(analysis.getDescription()).startsWith("Property 'distributed-lock.%s' is ".formatted(name))
				.contains(problem)
				.endsWith(".");
			assertThat(analysis.getAction()).contains(remedy).endsWith(".");
		});
	}

	@ParameterizedTest
	@CsvSource({ "ttl,soon", "store,reddis", "enabled,flase", "order,first" })
	void valueOfAnotherTypeFailsToBind(String name, String value) {
		this.runner.withPropertyValues("distributed-lock.%s=%s".formatted(name, value)).run((context) -> {
			assertThat(context).hasFailed();
			assertThat(context.getStartupFailure()).hasStackTraceContaining(BindException.class.getName())
				.hasStackTraceContaining("distributed-lock." + name);
		});
	}

	@Test
	void slowCommandsAreAllowedWithALongTtl() {
		this.runner.withPropertyValues("distributed-lock.command-timeout=30s", "distributed-lock.ttl=31s")
			.run((context) -> assertThat(context).hasNotFailed());
	}

}
