// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.ObjectFactory;
import org.springframework.beans.factory.config.Scope;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockScope;
import io.lockstarter.LockStoreException;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static io.lockstarter.autoconfigure.RedisApplication.serversOfLocks;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Contexts that are restarted or partly replaced, and several of them in one JVM.
 */
class RestartedContextTest {

	private static final LockOptions ONCE = LockOptions.defaults().withWaitTime(Duration.ZERO);

	@Test
	void applicationThatDevtoolsRestartsLocksEachTimeAndLeavesNoConnectionAndNoThread() throws Exception {
		try (RedisServer server = RedisServers.start()) {
			for (int i = 0; i < 2; i++) {
				ClassLoader loader = runInRestartClassLoader(server);
				await().until(() -> connections(server) == 0);
				await().until(() -> Thread.getAllStackTraces()
					.keySet()
					.stream()
					.noneMatch((thread) -> thread.getContextClassLoader() == loader));
			}
		}
	}

	@Test
	void beanOfARefreshedScopeIsLockedBeforeWhileAndAfterItIsReplaced() throws Exception {
		RefreshScope scope = new RefreshScope();
		CountDownLatch entered = new CountDownLatch(1);
		CountDownLatch leave = new CountDownLatch(1);
		memory(scope).withUserConfiguration(RefreshedCounter.class).run((context) -> {
			Counter counter = context.getBean(Counter.class);
			assertThat(counter.locked(() -> busy(context))).isTrue();
			Thread holder = new Thread(() -> counter.locked(() -> {
				entered.countDown();
				return leave.await(30, TimeUnit.SECONDS);
			}));
			holder.start();
			assertThat(entered.await(30, TimeUnit.SECONDS)).isTrue();
			int replaced = counter.id();
			scope.refresh();
			assertThat(counter.id()).isNotEqualTo(replaced);
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> counter.locked(() -> true));
			leave.countDown();
			holder.join();
			assertThat(counter.locked(() -> busy(context))).isTrue();
		});
	}

	@Test
	void connectionFactoryOfARefreshedScopeTakesLocksToAnotherRedis() {
		RefreshScope scope = new RefreshScope();
		try (RedisServer before = RedisServers.start(); RedisServer after = RedisServers.start()) {
			AtomicReference<RedisServer> current = new AtomicReference<>(before);
			RedisApplication.runner()
				.withInitializer((context) -> context.getBeanFactory().registerScope("refresh", scope))
				.withBean("servers", AtomicReference.class, () -> current)
				.withUserConfiguration(RefreshedConnectionFactory.class)
				.run((context) -> {
					assertThat(serversOfLocks(context, before, after)).containsExactly(before);
					current.set(after);
					scope.refresh();
					await().atMost(Duration.ofSeconds(30))
						.ignoreExceptionsInstanceOf(LockStoreException.class)
						.untilAsserted(() -> assertThat(serversOfLocks(context, before, after)).containsExactly(after));
					await().until(() -> connections(before) == 0);
				});
		}
	}

	@Test
	void contextsOfOneJvmExcludeEachOtherIfTheyShareThePrefix() {
		ApplicationContextRunner orders = RedisApplication.runner()
			.withPropertyValues("spring.data.redis.port=" + RedisServers.shared().port(),
					"distributed-lock.key-prefix=restarted-orders");
		orders
			.run((one) -> orders.run((same) -> orders.withPropertyValues("distributed-lock.key-prefix=restarted-stock")
				.run((other) -> one.getBean(LockRegistry.class).call("k", ONCE, (scope) -> {
					assertThat(same.getBean(LockRegistry.class).tryAcquire("k", ONCE)).isEmpty();
					other.getBean(LockRegistry.class).call("k", ONCE, (inner) -> null);
					return null;
				}))));
	}

	private static ApplicationContextRunner memory(RefreshScope scope) {
		return new ApplicationContextRunner().withPropertyValues("distributed-lock.store=memory")
			.withConfiguration(
					AutoConfigurations.of(LockAutoConfiguration.class, LockInterceptorAutoConfiguration.class))
			.withInitializer((context) -> context.getBeanFactory().registerScope("refresh", scope));
	}

	private static boolean busy(ApplicationContext context) throws Exception {
		AtomicReference<Boolean> free = new AtomicReference<>();
		Thread other = new Thread(() -> {
			try {
				free.set(context.getBean(LockRegistry.class).tryAcquire("counter", ONCE).isPresent());
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		});
		other.start();
		other.join();
		return !free.get();
	}

	private static long connections(RedisServer server) {
		return server.commands().clientList().lines().filter((line) -> !line.contains("cmd=client")).count();
	}

	/**
	 * Start, use and close an application as devtools does, whose classes are of a class
	 * loader of their own, below that of the libraries.
	 */
	private static ClassLoader runInRestartClassLoader(RedisServer server) throws Exception {
		ClassLoader loader = new RestartClassLoader();
		FutureTask<Object> run = new FutureTask<>(() -> {
			run(loader, server);
			return null;
		});
		Thread thread = new Thread(run, "restartedMain");
		thread.setContextClassLoader(loader);
		thread.start();
		run.get(60, TimeUnit.SECONDS);
		thread.join();
		return loader;
	}

	private static void run(ClassLoader loader, RedisServer server) throws ReflectiveOperationException {
		Class<?> application = loader.loadClass(RestartedApplication.class.getName());
		assertThat(application).isNotSameAs(RestartedApplication.class);
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(application)
			.web(WebApplicationType.NONE)
			.registerShutdownHook(false)
			.run("--spring.data.redis.port=" + server.port(), "--spring.main.banner-mode=off")) {
			Object bean = context.getBean("restartedService");
			assertThat(bean.getClass().getMethod("held").invoke(bean)).isEqualTo(true);
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class RestartedApplication {

		@Bean
		RestartedService restartedService() {
			return new RestartedService();
		}

	}

	/**
	 * A service of the application, loaded by its class loader.
	 */
	public static class RestartedService {

		/**
		 * Return whether this method has its lock.
		 */
		@DistributedLock("restarted")
		public boolean held() {
			return LockScope.current().isValid();
		}

	}

	/**
	 * Loads the classes of this test itself, and leaves all others to its parent.
	 */
	private static final class RestartClassLoader extends ClassLoader {

		RestartClassLoader() {
			super(RestartedContextTest.class.getClassLoader());
		}

		@Override
		protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
			if (!name.startsWith(RestartedContextTest.class.getName())) {
				return super.loadClass(name, resolve);
			}
			synchronized (getClassLoadingLock(name)) {
				Class<?> loaded = findLoadedClass(name);
				return (loaded != null) ? loaded : define(name);
			}
		}

		private Class<?> define(String name) {
			try (InputStream content = getResourceAsStream(name.replace('.', '/') + ".class")) {
				byte[] bytes = content.readAllBytes();
				return defineClass(name, bytes, 0, bytes.length);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

	/**
	 * Like that of Spring Cloud: its beans are destroyed, and created again when they are
	 * used next.
	 */
	private static final class RefreshScope implements Scope {

		private final Map<String, Object> beans = new ConcurrentHashMap<>();

		private final Map<String, Runnable> callbacks = new ConcurrentHashMap<>();

		@Override
		public Object get(String name, ObjectFactory<?> factory) {
			Object bean = this.beans.get(name);
			if (bean == null) {
				bean = factory.getObject();
				this.beans.put(name, bean);
			}
			return bean;
		}

		@Override
		public Object remove(String name) {
			return this.beans.remove(name);
		}

		@Override
		public void registerDestructionCallback(String name, Runnable callback) {
			this.callbacks.put(name, callback);
		}

		@Override
		public Object resolveContextualObject(String key) {
			return null;
		}

		@Override
		public String getConversationId() {
			return "refresh";
		}

		void refresh() {
			this.beans.clear();
			this.callbacks.values().forEach(Runnable::run);
			this.callbacks.clear();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class RefreshedCounter {

		@Bean
		@org.springframework.context.annotation.Scope(scopeName = "refresh", proxyMode = ScopedProxyMode.TARGET_CLASS)
		Counter counter() {
			return new Counter();
		}

	}

	static class Counter {

		@DistributedLock(key = "counter", waitTime = "0s")
		public boolean locked(Callable<Boolean> action) {
			try {
				return action.call();
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		}

		public int id() {
			return System.identityHashCode(this);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class RefreshedConnectionFactory {

		@Bean
		@org.springframework.context.annotation.Scope(scopeName = "refresh", proxyMode = ScopedProxyMode.TARGET_CLASS)
		LettuceConnectionFactory connectionFactory(AtomicReference<RedisServer> servers) {
			return new LettuceConnectionFactory(servers.get().host(), servers.get().port());
		}

	}

}
