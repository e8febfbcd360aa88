// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.service;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.stream.Stream;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.util.ClassUtils;

/**
 * A service with Redis and a few beans. It says {@value #READY} when it has started, with
 * what that cost, locks something if it is told to, says how that went, and ends. The
 * same class is the service with lock-starter, with each of the peers, and with none.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({ Shop.Stock.class, Shop.Prices.class, Shop.Reports.class, ShedLock.class, Floor.class })
public final class Service {

	/**
	 * The argument that tells it which key to lock.
	 */
	public static final String LOCK = "--lock=";

	/**
	 * The argument that tells it to lock as its own code would: by a call of an annotated
	 * method, if there are any.
	 */
	public static final String CALL = "--call";

	/**
	 * The line with which it says that it has started. Then come the nanoseconds of CPU
	 * time of the process.
	 */
	public static final String READY = "READY ";

	/**
	 * The argument that has an annotation do nothing, which costs something, too.
	 */
	public static final String FLOOR = "--" + Floor.PROPERTY + "=true";

	/**
	 * The next line if its own code locks, with those of the main thread up to then.
	 */
	public static final String MAIN = "MAIN ";

	/**
	 * The line after that says how many nanoseconds its lock took.
	 */
	public static final String GRANTED = "GRANTED ";

	/**
	 * Or else why it failed.
	 */
	public static final String FAILED = "FAILED ";

	/**
	 * The last line, with the nanoseconds of CPU time of the process.
	 */
	public static final String END = "END ";

	private static final boolean HAS_STARTER = isPresent("io.lockstarter.LockRegistry");

	private static final boolean HAS_ANNOTATION = HAS_STARTER
			|| Stream.of("net.javacrumbs.shedlock.core.LockProvider", "com.baomidou.lock.LockTemplate")
				.anyMatch(Service::isPresent);

	private static final boolean HAS_REDISSON = isPresent("org.redisson.api.RedissonClient");

	private Service() {
	}

	/**
	 * Run.
	 * @param arguments properties, and what to lock
	 */
	@SuppressWarnings("SystemOut")
	public static void main(String[] arguments) {
		SpringApplication application = new SpringApplication(Service.class);
		application.setLogStartupInfo(false);
		application.setBannerMode(Banner.Mode.OFF);
		try (ConfigurableApplicationContext context = application.run(arguments)) {
			System.out.println(READY + cpu());
			if (context.getEnvironment().containsProperty("call")) {
				System.out.println(MAIN + ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime());
			}
			String key = context.getEnvironment().getProperty("lock");
			if (key != null) {
				System.out.println(lock(context, key));
			}
			if (context.getEnvironment().containsProperty("call")) {
				call(context);
			}
			System.out.println(END + cpu());
		}
	}

	private static long cpu() {
		return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO).toNanos();
	}

	private static boolean isPresent(String name) {
		return ClassUtils.isPresent(name, null);
	}

	private static void call(ApplicationContext context) {
		if (HAS_ANNOTATION) {
			context.getBean(Shop.Stock.class).take("42");
		}
		else if (HAS_REDISSON) {
			WithRedisson.lock(context, "stock:42").unlock();
		}
		else {
			WithTemplate.lock(context, "stock:42").unlock();
		}
	}

	private static String lock(ApplicationContext context, String key) {
		long asked = System.nanoTime();
		try {
			FirstLock lock = HAS_STARTER ? WithStarter.lock(context, key) : WithTemplate.lock(context, key);
			long granted = System.nanoTime();
			lock.unlock();
			return GRANTED + (granted - asked);
		}
		catch (Exception ex) {
			return FAILED + ex;
		}
	}

	@FunctionalInterface
	private interface FirstLock {

		void unlock();

	}

	// Not to be loaded where there is no lock-starter.
	private static final class WithStarter {

		static FirstLock lock(ApplicationContext context, String key) throws InterruptedException {
			Lease lease = context.getBean(LockRegistry.class).acquire(key, LockOptions.defaults());
			return lease::close;
		}

	}

	private static final class WithRedisson {

		static FirstLock lock(ApplicationContext context, String key) {
			RLock lock = context.getBean(RedissonClient.class).getLock(key);
			lock.lock();
			return lock::unlock;
		}

	}

	private static final class WithTemplate {

		static FirstLock lock(ApplicationContext context, String key) {
			StringRedisTemplate redis = context.getBean(StringRedisTemplate.class);
			if (!Boolean.TRUE.equals(redis.opsForValue().setIfAbsent(key, "owner", Duration.ofSeconds(30)))) {
				throw new IllegalStateException("The key is busy");
			}
			return () -> redis.delete(key);
		}

	}

}
