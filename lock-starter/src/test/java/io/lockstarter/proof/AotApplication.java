// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import org.springframework.aop.support.AopUtils;
import org.springframework.aot.AotDetector;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockScope;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.interceptor.transaction.LockCommitCheck;

/**
 * A service that uses most of the annotation, to be processed ahead of time.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@EnableTransactionManagement(proxyTargetClass = true)
class AotApplication {

	/**
	 * Call annotated methods.
	 * @param args properties
	 */
	public static void main(String... args) throws InterruptedException {
		// Spring Boot wants its own logging
		System.clearProperty("slf4j.provider");
		SpringApplicationBuilder builder = new SpringApplicationBuilder(AotApplication.class)
			.web(WebApplicationType.NONE);
		try (ConfigurableApplicationContext context = builder.run(args)) {
			Shop shop = context.getBean(Shop.class);
			System.out.println("aot " + AotDetector.useGeneratedArtifacts());
			System.out.println("proxied " + AopUtils.isCglibProxy(shop));
			System.out.println("locked " + shop.ship(new Order(new Customer("c7"))));
			try (Lease shelf = context.getBean(LockRegistry.class).acquire("shelf", LockOptions.defaults())) {
				System.out.println("held " + shelf.isValid());
				System.out.println("answered " + shop.take(1));
			}
			System.out.println("answered " + shop.take(2));
			System.out.println("checked " + context.getBean(Transactions.class)
				.getTransactionExecutionListeners()
				.stream()
				.anyMatch(LockCommitCheck.class::isInstance));
		}
	}

	@Bean
	Shop shop() {
		return new Shop();
	}

	@Bean
	Tenants tenants() {
		return new Tenants();
	}

	@Bean
	PlatformTransactionManager transactionManager() {
		return new Transactions();
	}

	record Customer(String id) {

	}

	record Order(Customer customer) {

	}

	static class Tenants {

		public String current() {
			return "acme";
		}

	}

	static class Shop {

		@Transactional
		@DistributedLock("${shop.region}:#{@tenants.current()}:#{#root.method.name}:#{#order.customer.id}")
		public String ship(Order order) {
			return LockScope.current().leases().get(0).key();
		}

		@DistributedLock(key = "shelf", waitTime = "0s", fallback = "busy")
		public String take(int place) {
			return "free";
		}

		String busy(int place) {
			return "busy " + place;
		}

	}

	@SuppressWarnings("serial")
	static class Transactions extends AbstractPlatformTransactionManager {

		@Override
		protected Object doGetTransaction() {
			return this;
		}

		@Override
		protected void doBegin(Object transaction, TransactionDefinition definition) {
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
		}

	}

}
