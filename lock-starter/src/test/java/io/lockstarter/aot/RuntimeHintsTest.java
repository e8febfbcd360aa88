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
package io.lockstarter.aot;

import java.lang.reflect.Method;
import java.time.LocalDate;
import java.util.List;

import io.lettuce.core.RedisClient;
import io.lettuce.core.resource.ClientResources;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.actuate.LocksEndpoint;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.DistributedLocks;
import io.lockstarter.annotation.OnLost;
import io.lockstarter.annotation.ReleasePhase;
import io.lockstarter.interceptor.key.KeyRoot;
import org.junit.jupiter.api.Test;

import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.beans.factory.aot.AotServices;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.aot.BeanRegistrationCode;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.javapoet.ClassName;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.proxies;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.reflection;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.resource;

/**
 * What a native image is told.
 */
class RuntimeHintsTest {

	private final RuntimeHints hints = new RuntimeHints();

	@Test
	void scriptsAndAnnotationsAreTold() throws NoSuchMethodException {
		registerAll();
		assertThat(resource().forResource("META-INF/lock-starter/lock.lua")).accepts(this.hints);
		assertThat(ClassUtils.getDefaultClassLoader().getResource("META-INF/lock-starter/lock.lua")).isNotNull();
		assertThat(reflection().onFieldAccess(RedisClient.class, "redisURI")).accepts(this.hints);
		assertThat(proxies().forInterfaces(ClientResources.class)).accepts(this.hints);
		assertThat(reflection().onMethodInvocation(DistributedLock.class.getMethod("key"))).accepts(this.hints);
		assertThat(reflection().onMethodInvocation(DistributedLocks.class.getMethod("value"))).accepts(this.hints);
		assertThat(reflection().onFieldAccess(OnLost.class, "FAIL")).accepts(this.hints);
		assertThat(reflection().onFieldAccess(ReleasePhase.class, "AUTO")).accepts(this.hints);
		assertThat(reflection().onMethodInvocation(KeyRoot.class.getMethod("getMethod"))).accepts(this.hints);
		assertThat(reflection().onMethodInvocation(Method.class.getMethod("getName"))).accepts(this.hints);
	}

	@Test
	void whatIsLookedForByNameIsToldIfItIsThere() {
		registerAll();
		List<String> present = DistributedLockRuntimeHints.OPTIONAL_TYPES.stream()
			.filter((type) -> ClassUtils.isPresent(type, null))
			.toList();
		assertThat(present).contains("org.springframework.transaction.support.TransactionSynchronizationManager");
		assertThat(present)
			.allSatisfy((type) -> assertThat(reflection().onType(TypeReference.of(type))).accepts(this.hints));
	}

	@Test
	void answersOfTheEndpointAreTold() {
		new ReflectiveRuntimeHintsRegistrar().registerRuntimeHints(this.hints, LocksEndpoint.class);
		assertThat(LocksEndpoint.class.getDeclaredClasses()).filteredOn(Class::isRecord)
			.hasSizeGreaterThan(5)
			.allSatisfy((answer) -> assertThat(answer.getRecordComponents())
				.allSatisfy((component) -> assertThat(reflection().onMethodInvocation(component.getAccessor()))
					.accepts(this.hints)));
	}

	@Test
	void beanWithoutAnnotationsAddsNothing() {
		assertThat(contribution(String.class)).isNull();
	}

	@Test
	void methodsOfAnnotatedBeansAndTheirFallbacksAreTold() throws NoSuchMethodException {
		process(Shop.class);
		assertThat(reflection().onMethodInvocation(Shop.class.getMethod("ship", Order.class))).accepts(this.hints);
		assertThat(reflection()
			.onMethodInvocation(Base.class.getDeclaredMethod("later", Order.class, LockNotAcquiredException.class)))
			.accepts(this.hints);
		assertThat(reflection().onMethodInvocation(Api.class.getMethod("ship", Order.class))).accepts(this.hints);
	}

	@Test
	void whatKeysReadIsTold() throws NoSuchMethodException {
		process(Shop.class);
		assertThat(reflection().onMethodInvocation(Order.class.getMethod("lines"))).accepts(this.hints);
		assertThat(reflection().onMethodInvocation(Line.class.getMethod("getProduct"))).accepts(this.hints);
		assertThat(reflection().onMethodInvocation(Product.class.getMethod("sku"))).accepts(this.hints);
		assertThat(reflection().onMethodInvocation(Long.class.getMethod("longValue"))).accepts(this.hints);
		assertThat(reflection().onMethodInvocation(Tenants.class.getMethod("current"))).accepts(this.hints);
		assertThat(reflection().onMethodInvocation(LocalDate.class.getMethod("now"))).accepts(this.hints);
		assertThat(reflection().onFieldAccess(Line.class, "amount")).accepts(this.hints);
		assertThat(reflection().onType(Unrelated.class)).rejects(this.hints);
	}

	@Test
	void annotationOfAnInterfaceIsFound() throws NoSuchMethodException {
		process(Implementation.class);
		assertThat(reflection().onMethodInvocation(Implementation.class.getMethod("ship", Order.class)))
			.accepts(this.hints);
	}

	private void registerAll() {
		AotServices.factories()
			.load(RuntimeHintsRegistrar.class)
			.stream()
			.filter((registrar) -> registrar.getClass().getName().startsWith("io.lockstarter."))
			.forEach((registrar) -> registrar.registerHints(this.hints, getClass().getClassLoader()));
	}

	private void process(Class<?> type) {
		BeanRegistrationAotContribution contribution = contribution(type);
		assertThat(contribution).isNotNull();
		contribution.applyTo(new DefaultGenerationContext(new ClassNameGenerator(ClassName.get("test", "Test")),
				new InMemoryGeneratedFiles(), this.hints), mock(BeanRegistrationCode.class));
	}

	private static BeanRegistrationAotContribution contribution(Class<?> type) {
		DefaultListableBeanFactory factory = new DefaultListableBeanFactory();
		factory.registerBeanDefinition("bean", new RootBeanDefinition(type));
		factory.registerBeanDefinition("tenants", new RootBeanDefinition(Tenants.class));
		BeanRegistrationAotProcessor processor = AotServices.factories()
			.load(BeanRegistrationAotProcessor.class)
			.stream()
			.filter(DistributedLockBeanAotProcessor.class::isInstance)
			.findFirst()
			.orElseThrow();
		return processor.processAheadOfTime(RegisteredBean.of(factory, "bean"));
	}

	record Product(String sku) {

	}

	static class Line {

		public int amount = 1;

		public Product getProduct() {
			return new Product("p");
		}

	}

	record Order(List<Line> lines) {

	}

	static class Unrelated {

	}

	static class Tenants {

		public String current() {
			return "acme";
		}

	}

	interface Api {

		void ship(Order order);

	}

	static class Base {

		void later(Order order, LockNotAcquiredException busy) {
		}

	}

	static class Shop extends Base implements Api {

		@Override
		@DistributedLock(key = "#{@tenants.current()}:#{T(java.time.LocalDate).now()}:#{#order.lines[0].product.sku}",
				fallback = "later")
		public void ship(Order order) {
		}

		@DistributedLock("#{#line.amount + #id.longValue()}")
		public void pick(Line line, long id) {
		}

	}

	interface LockedApi {

		@DistributedLock("order")
		void ship(Order order);

	}

	static class Implementation implements LockedApi {

		@Override
		public void ship(Order order) {
		}

	}

}
