// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.lockstarter.LeaseInfo;
import io.lockstarter.Lease;
import io.lockstarter.LockListener;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;

/**
 * A service that holds a lock when it is told to end.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class ShutdownApplication {

	/**
	 * Hold a lock until the parent says {@code finish}.
	 * @param args properties
	 */
	public static void main(String... args) throws InterruptedException {
		// Spring Boot wants its own logging
		System.clearProperty("slf4j.provider");
		var commands = JvmProcess.listenToParent();
		ConfigurableApplicationContext context = new SpringApplicationBuilder(ShutdownApplication.class)
			.web(WebApplicationType.NONE)
			.run(args);
		LockRegistry registry = context.getBean(LockRegistry.class);
		Lease lease = registry.acquire("stock:42", LockOptions.defaults().withTtl(Duration.ofSeconds(4)));
		System.out.println("holding");
		commands.take();
		System.out.println("finished " + lease.isValid());
		lease.close();
		System.out.println("closed");
	}

	@Bean
	LockListener listener() {
		return abandonedPrinter();
	}

	static LockListener abandonedPrinter() {
		return new LockListener() {

			@Override
			public void abandoned(LeaseInfo lease) {
				System.out.println("abandoned " + lease.key());
			}

		};
	}

}
