// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import io.lockstarter.annotation.DistributedLock;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Where the annotation may be, and through which proxies it works.
 */
class LockedMethodsTest {

	private final RecordingRegistry registry = new RecordingRegistry();

	@Test
	void annotationOnClassMethodLocksThroughCglibProxy() {
		try (LockedContext context = LockedContext.withClassProxies(this.registry, Shop.class)) {
			Shop shop = context.bean(Shop.class);
			assertThat(AopUtils.isCglibProxy(shop)).isTrue();
			assertThat(shop.buy(42)).isEqualTo("bought 42");
		}
		assertThat(this.registry.events).containsExactly("acquired stock:42", "released stock:42");
	}

	@Test
	void methodWithoutAnnotationIsNotLocked() {
		try (LockedContext context = LockedContext.withClassProxies(this.registry, Shop.class)) {
			context.bean(Shop.class).look();
		}
		assertThat(this.registry.keys).isEmpty();
	}

	@Test
	void annotationOnInterfaceLocksThroughJdkProxyAndThroughCglibProxy() {
		try (LockedContext context = LockedContext.withInterfaceProxies(this.registry, Seller.class)) {
			Sale sale = context.bean(Sale.class);
			assertThat(AopUtils.isJdkDynamicProxy(sale)).isTrue();
			sale.sell("a", 1);
		}
		try (LockedContext context = LockedContext.withClassProxies(this.registry, Seller.class)) {
			context.bean(Seller.class).sell("b", 2);
		}
		assertThat(this.registry.keys).containsExactly("sale:a", "sale:b");
	}

	@Test
	void annotationOnInterfaceLocksABeanThatIsAProxyItself() {
		try (LockedContext context = LockedContext.withClassProxies(this.registry, Proxies.class)) {
			context.bean(Sale.class).sell("a", 1);
		}
		assertThat(this.registry.keys).containsExactly("sale:a");
	}

	@Test
	void annotationOnInterfaceUsesItsOwnArgumentNamesFirst() {
		try (LockedContext context = LockedContext.withClassProxies(this.registry, SwappedNames.class)) {
			context.bean(Sale.class).sell("a", 1);
		}
		assertThat(this.registry.keys).containsExactly("sale:a");
	}

	@Test
	void interfaceMethodThatIsImplementedByAnUnrelatedSuperclassIsLocked() {
		try (LockedContext context = LockedContext.withClassProxies(this.registry, Inheritor.class)) {
			context.bean(Inheritor.class).sell("a", 1);
		}
		try (LockedContext context = LockedContext.withInterfaceProxies(this.registry, Inheritor.class)) {
			context.bean(Sale.class).sell("b", 1);
		}
		assertThat(this.registry.keys).containsExactly("sale:a", "sale:b");
	}

	@Test
	void overridingMethodInheritsTheAnnotationOfItsSuperclass() {
		try (LockedContext context = LockedContext.withClassProxies(this.registry, SpecialShop.class)) {
			context.bean(SpecialShop.class).buy(7);
		}
		assertThat(this.registry.keys).containsExactly("stock:7");
	}

	@Test
	void genericBridgeMethodLocksOnceWithTheArgumentNamesOfTheImplementation() {
		try (LockedContext context = LockedContext.withClassProxies(this.registry, OrderRepository.class)) {
			context.<Repository<Order>>bean(repositoryType()).save(new Order("o1"));
		}
		try (LockedContext context = LockedContext.withInterfaceProxies(this.registry, OrderRepository.class)) {
			context.<Repository<Order>>bean(repositoryType()).save(new Order("o2"));
		}
		assertThat(this.registry.keys).containsExactly("order:o1", "order:o2");
	}

	@SuppressWarnings("unchecked")
	private static <T> Class<Repository<T>> repositoryType() {
		return (Class<Repository<T>>) (Class<?>) Repository.class;
	}

	record Order(String id) {
	}

	static class Shop {

		@DistributedLock("stock:#{#productId}")
		public String buy(long productId) {
			return "bought " + productId;
		}

		public void look() {
		}

	}

	static class SpecialShop extends Shop {

		@Override
		public String buy(long productId) {
			return "specially " + super.buy(productId);
		}

	}

	interface Sale {

		@DistributedLock(key = "sale:#{#item}")
		void sell(String item, int count);

	}

	static class Seller implements Sale {

		@Override
		public void sell(String item, int count) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Proxies {

		@Bean
		Sale sale() {
			return ProxyFactory.getProxy(Sale.class, (MethodInterceptor) (invocation) -> null);
		}

	}

	static class SwappedNames implements Sale {

		@Override
		@SuppressWarnings("OverridingMethodInconsistentArgumentNamesChecker")
		public void sell(String count, int item) {
		}

	}

	static class KnowsNoInterface {

		public void sell(String item, int count) {
		}

	}

	static class Inheritor extends KnowsNoInterface implements Sale {

	}

	interface Repository<T> {

		void save(T entity);

	}

	static class OrderRepository implements Repository<Order> {

		@Override
		@DistributedLock(key = "order:#{#order.id}")
		public void save(Order order) {
		}

	}

}
