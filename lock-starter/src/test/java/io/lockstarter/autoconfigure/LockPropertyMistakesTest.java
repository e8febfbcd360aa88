// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.lockstarter.LockRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.BeansException;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.PriorityOrdered;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Properties that no registry could work with fail the start.
 */
class LockPropertyMistakesTest {

	/**
	 * With Spring Boot 3.5 these tests run beside all jars.
	 */
	private static final boolean NO_OTHER_JAR = !ClassUtils.isPresent("io.lockstarter.quorum.QuorumLockStore", null);

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withPropertyValues("distributed-lock.store=memory")
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class, LockInterceptorAutoConfiguration.class,
				LockDisabledAutoConfiguration.class));

	static Stream<Arguments> mistakes() {
		return Stream.of(arguments("ttl", "5ms", "must be between 10 ms and", "or leave it out"),
				arguments("ttl", "366d", "must be between 10 ms and 365 days, but is 366 days", "another value"),
				arguments("wait-time", "-1s", "must be between 0 ms and", "another value"),
				arguments("command-timeout", "0s", "must be between 1 ms and", "another value"),
				arguments("command-timeout", "30s",
						"is '30 s', but must be shorter than 'distributed-lock.ttl', which is '30 s'",
						"lengthen 'distributed-lock.ttl'"),
				arguments("connect-timeout", "0s", "must be between 1 ms", "another value"),
				arguments("poll-interval", "0ms", "must be between 1 ms", "another value"),
				arguments("slice", "-1ms", "must be between 0 ms", "another value"),
				arguments("slice", "1m", "is '1 min', but must be shorter than 'distributed-lock.ttl'",
						"Shorten 'distributed-lock.slice'"),
				arguments("warn-after", "-1s", "must be between 0 ms", "another value"),
				arguments("max-hold", "0s", "must be between 10 ms", "another value"),
				arguments("max-hold", "10s",
						"is '10 s', but a lock is held for 'distributed-lock.ttl', which is '30 s', in any case",
						"Shorten 'distributed-lock.ttl' or lengthen"),
				arguments("shutdown-grace", "PT-1S", "must be between 0 ms", "another value"),
				arguments("fence-retention", "0s", "must be between 1 ms", "another value"),
				arguments("replicas-acknowledged", "-1", "must be between 0 and 100, but is -1", "another value"),
				arguments("drift", "0.6", "must be between 0 and 0.5, but is 0.6", "another value"),
				arguments("drift", "NaN", "must be between 0 and 0.5, but is NaN", "another value"),
				arguments("key-prefix", "{lock}", "must not be blank or contain '{'", "another value"),
				arguments("key-prefix", "", "must not be blank", "another value"),
				arguments("key-prefix", "a b", "but is 'a b'", "another value"));
	}

	@ParameterizedTest
	@MethodSource("mistakes")
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
	@ValueSource(classes = { EarlyFactoryPostProcessor.class, EarlyPostProcessor.class })
	void registryThatIsAskedForBeforePropertiesAreBoundIsRefused(Class<?> early) {
		this.runner.withUserConfiguration(early).run((context) -> {
			assertThat(context).hasFailed();
			FailureAnalysis analysis = new LockSetupFailureAnalyzer().analyze(context.getStartupFailure());
			assertThat(analysis.getDescription()).contains("before Spring Boot binds properties");
			assertThat(analysis.getAction()).contains("ObjectProvider<LockRegistry>");
		});
	}

	@Test
	void propertiesAreBoundAlthoughSomebodyIgnoredThatRefusal() {
		this.runner.withPropertyValues("distributed-lock.ttl=7s")
			.withUserConfiguration(StubbornFactoryPostProcessor.class)
			.run((context) -> assertThat(context.getBean(LockSettings.class).registry().ttl()).hasSeconds(7));
	}

	@Test
	void registryOfAnOrdinaryPostProcessorHasItsProperties() {
		this.runner.withPropertyValues("distributed-lock.ttl=7s")
			.withUserConfiguration(OrdinaryPostProcessor.class)
			.run((context) -> assertThat(context.getBean(LockSettings.class).registry().ttl()).hasSeconds(7));
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
	void plainNumberIsMilliseconds() {
		this.runner.withPropertyValues("distributed-lock.ttl=5000", "distributed-lock.wait-time=200").run((context) -> {
			assertThat(context.getBean(LockSettings.class).registry().ttl()).hasSeconds(5);
			assertThat(context.getBean(LockSettings.class).registry().waitTime()).hasMillis(200);
		});
		this.runner.withPropertyValues("distributed-lock.ttl=30")
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.rootCause()
				.hasMessageContaining("is '2 s', but must be shorter than 'distributed-lock.ttl', which is '30 ms'"));
	}

	@ParameterizedTest
	@CsvSource({ "wait,wait-time", "waitTimeout,wait-time", "ttll,ttl", "prefix,key-prefix",
			"commandTimeOuts,command-timeout", "time-to-live,ttl", "leaseTime,ttl", "expire,ttl", "timeout,wait-time",
			"redis-url,url" })
	void propertyThatDoesNotExistFailsWithTheNearest(String name, String nearest) {
		this.runner.withPropertyValues("distributed-lock.%s=5".formatted(name)).run((context) -> {
			assertThat(context).hasFailed();
			FailureAnalysis analysis = new LockSetupFailureAnalyzer().analyze(context.getStartupFailure());
			assertThat(analysis.getDescription()).startsWith("Property 'distributed-lock.").endsWith("does not exist.");
			assertThat(analysis.getAction()).contains("Did you mean 'distributed-lock.%s'?".formatted(nearest))
				.contains("enabled, store, ttl, wait-time, key-prefix");
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "xyz", "lock-at-least-for" })
	void propertyThatIsLikeNoOtherFailsWithoutAGuess(String name) {
		this.runner.withPropertyValues("distributed-lock.%s=5".formatted(name)).run((context) -> {
			assertThat(context).hasFailed();
			FailureAnalysis analysis = new LockSetupFailureAnalyzer().analyze(context.getStartupFailure());
			assertThat(analysis.getAction()).startsWith("Leave it out. All there are: enabled, store, ttl, wait-time");
		});
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void propertyThatDoesNotExistIsLoggedOrIgnoredAsValidationSays(CapturedOutput output) {
		ApplicationContextRunner misspelt = this.runner.withPropertyValues("distributed-lock.wait=5");
		misspelt.withPropertyValues("distributed-lock.validation=off")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("does not exist");
		misspelt.withPropertyValues("distributed-lock.validation=warn")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).contains("Property 'distributed-lock.wait' does not exist");
	}

	@ParameterizedTest
	@CsvSource({ "quorum.nodes=redis://a:1, quorum.nodes, quorum",
			"quorum.nodes[0].url=redis://a:1, quorum.nodes, quorum", "quorum.max-ttl=1m, quorum.max-ttl, quorum",
			"migration[0].from=redisson, migration, migration" })
	void propertyOfAnotherJarNamesIt(String property, String name, String jar) {
		assumeTrue(NO_OTHER_JAR);
		for (String validation : List.of("fail", "off")) {
			this.runner.withPropertyValues("distributed-lock." + property, "distributed-lock.validation=" + validation)
				.run((context) -> {
					assertThat(context).hasFailed();
					FailureAnalysis analysis = new LockSetupFailureAnalyzer().analyze(context.getStartupFailure());
					assertThat(analysis.getDescription())
						.startsWith("Property 'distributed-lock.%s' is set, but the jar".formatted(name));
					assertThat(analysis.getAction())
						.startsWith("Add the dependency io.lockstarter:lock-starter-" + jar);
				});
		}
	}

	@Test
	void emptyPropertiesAndVariablesOfServicesNeedNoOtherJar() {
		this.runner.withPropertyValues("distributed-lock.quorum.nodes=${NODES:}", "distributed-lock.migration=")
			.withInitializer(
					(context) -> context.getEnvironment()
						.getPropertySources()
						.addFirst(new SystemEnvironmentPropertySource(
								StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
								Map.of("DISTRIBUTEDLOCK_MIGRATION_SERVICE_HOST", "10.0.0.1"))))
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void variableOfAnotherJarNamesIt() {
		assumeTrue(NO_OTHER_JAR);
		this.runner
			.withInitializer(
					(context) -> context.getEnvironment()
						.getPropertySources()
						.addFirst(new SystemEnvironmentPropertySource(
								StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
								Map.of("DISTRIBUTEDLOCK_QUORUM_NODES_0_URL", "redis://a:1"))))
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.hasStackTraceContaining("io.lockstarter:lock-starter-quorum"));
	}

	@Test
	void everyPropertyIsKnown() {
		assertThat(LockPropertyNames.ALL).containsExactlyInAnyOrderElementsOf(Stream
			.of(names(LockProperties.class).filter((name) -> !name.equals("leader")),
					Stream.of("migration", "quorum.nodes", "quorum.max-ttl"),
					names(LockProperties.Leader.class).map((name) -> "leader." + name),
					names(FenceProperties.class).map((name) -> "fence." + name),
					names(ForceReleaseProperties.class).map((name) -> "endpoint." + name))
			.flatMap((names) -> names)
			.toList());
	}

	private static Stream<String> names(Class<?> properties) {
		return Arrays.stream(properties.getDeclaredFields())
			.filter((field) -> !Modifier.isStatic(field.getModifiers()))
			.map((field) -> DataObjectPropertyName.toDashedForm(field.getName()));
	}

	@Test
	void slowCommandsAreAllowedWithALongTtl() {
		this.runner.withPropertyValues("distributed-lock.command-timeout=30s", "distributed-lock.ttl=31s")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	static class EarlyFactoryPostProcessor implements BeanFactoryPostProcessor {

		@Override
		public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
			beans.getBean(LockRegistry.class);
		}

	}

	static class StubbornFactoryPostProcessor extends EarlyFactoryPostProcessor {

		@Override
		public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
			assertThatExceptionOfType(BeansException.class).isThrownBy(() -> super.postProcessBeanFactory(beans));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class EarlyPostProcessor {

		@Bean
		static PriorityOrderedPostProcessor earlyPostProcessor(LockRegistry registry) {
			return new PriorityOrderedPostProcessor();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OrdinaryPostProcessor {

		@Bean
		static BeanPostProcessor ordinaryPostProcessor(LockRegistry registry) {
			return new BeanPostProcessor() {
			};
		}

	}

	static class PriorityOrderedPostProcessor implements BeanPostProcessor, PriorityOrdered {

		@Override
		public int getOrder() {
			return 0;
		}

	}

}
