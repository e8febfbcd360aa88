package io.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
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
		return Stream.of(arguments("ttl", "5ms", "must be between PT0.01S and", "or leave it out"),
				arguments("ttl", "366d", "must be between PT0.01S and PT8760H, but is PT8784H", "another value"),
				arguments("wait-time", "-1s", "must be between PT0S and", "another value"),
				arguments("command-timeout", "0s", "must be between PT0.001S and", "another value"),
				arguments("command-timeout", "30s",
						"is 'PT30S', but must be shorter than 'distributed-lock.ttl', which is 'PT30S'",
						"lengthen 'distributed-lock.ttl'"),
				arguments("connect-timeout", "0s", "must be between 1 ms", "another value"),
				arguments("poll-interval", "0ms", "must be between PT0.001S", "another value"),
				arguments("slice", "-1ms", "must be between PT0S", "another value"),
				arguments("slice", "1m", "is 'PT1M', but must be shorter than 'distributed-lock.ttl'",
						"Shorten 'distributed-lock.slice'"),
				arguments("shutdown-grace", "PT-1S", "must be between PT0S", "another value"),
				arguments("fence-retention", "0s", "must be between 1 ms", "another value"),
				arguments("drift", "0.6", "must be between 0 and 0.5, but is 0.6", "another value"),
				arguments("drift", "NaN", "must be between 0 and 0.5, but is NaN", "another value"),
				arguments("key-prefix", "{lock}", "must not be blank or contain '{'", "another value"),
				arguments("key-prefix", "", "must not be blank", "another value"),
				arguments("key-prefix", "a b", "but is 'a b'", "another value"));
	}

	static Stream<Arguments> durations() {
		return Arrays.stream(LockProperties.class.getDeclaredFields())
			.filter((field) -> field.getType() == Duration.class)
			.map((field) -> arguments(DataObjectPropertyName.toDashedForm(field.getName()), "30",
					"is '30', but has no unit", "Write '30s' for seconds"));
	}

	@ParameterizedTest
	@MethodSource({ "mistakes", "durations" })
	void valueThatCannotBeIsRefusedWithItsRemedy(String name, String value, String problem, String remedy) {
		this.runner.withPropertyValues("distributed-lock.%s=%s".formatted(name, value)).run((context) -> {
			assertThat(context).hasFailed();
			FailureAnalysis analysis = new LockSetupFailureAnalyzer().analyze(context.getStartupFailure());
			assertThat(analysis.getDescription()).startsWith("Property 'distributed-lock.%s' ".formatted(name))
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
