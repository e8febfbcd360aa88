/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.lockstarter.benchmark.service;

import java.time.Duration;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;

import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.util.ClassUtils;

/**
 * A service with nothing but Redis. It says {@value #READY} when it has started, takes a
 * lock if it is told to, says how that went, and ends.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
public final class Service {

	/**
	 * The argument that tells it which key to lock.
	 */
	public static final String LOCK = "--lock=";

	/**
	 * The first line that it says.
	 */
	public static final String READY = "READY";

	/**
	 * The line after that says how many nanoseconds its lock took.
	 */
	public static final String GRANTED = "GRANTED ";

	/**
	 * Or else why it failed.
	 */
	public static final String FAILED = "FAILED ";

	private static final boolean HAS_STARTER = ClassUtils.isPresent("io.lockstarter.LockRegistry", null);

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
			System.out.println(READY);
			String key = context.getEnvironment().getProperty("lock");
			if (key != null) {
				System.out.println(lock(context, key));
			}
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
