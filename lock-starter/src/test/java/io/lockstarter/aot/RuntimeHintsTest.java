// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.aot;

import java.lang.reflect.Method;
import java.time.LocalDate;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import io.lettuce.core.RedisClient;
import io.lettuce.core.resource.ClientResources;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.actuate.LockDescriptors;
import io.lockstarter.actuate.LocksEndpoint;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.DistributedLocks;
import io.lockstarter.annotation.LeaderOnly;
import io.lockstarter.annotation.OnLost;
import io.lockstarter.annotation.ReleasePhase;
import io.lockstarter.interceptor.key.KeyRoot;
import org.junit.jupiter.api.Test;

import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeHint;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.beans.factory.aot.AotServices;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.aot.BeanRegistrationCode;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
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
		assertThat(isReadable(RedisClient.class, "redisURI")).isTrue();
		assertThat(isReadable(LettuceConnectionFactory.class, "configuration")).isTrue();
		assertThat(isInvocable(LettuceConnectionFactory.class.getDeclaredMethod("createRedisURIAndApplySettings",
				String.class, int.class)))
			.isTrue();
		assertThat(proxies().forInterfaces(ClientResources.class)).accepts(this.hints);
		assertThat(isInvocable(DistributedLock.class.getMethod("key"))).isTrue();
		assertThat(isInvocable(DistributedLocks.class.getMethod("value"))).isTrue();
		assertThat(isInvocable(LeaderOnly.class.getMethod("value"))).isTrue();
		assertThat(isReadable(OnLost.class, "FAIL")).isTrue();
		assertThat(isReadable(ReleasePhase.class, "AUTO")).isTrue();
		assertThat(isInvocable(KeyRoot.class.getMethod("getMethod"))).isTrue();
		assertThat(isInvocable(Method.class.getMethod("getName"))).isTrue();
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
	void connectionDetailsThatTheSslBundleIsReadFromAreTold() {
		registerAll();
		List<Method> getters = Stream
			.of("org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails",
					"org.springframework.boot.autoconfigure.data.redis.RedisConnectionDetails")
			.flatMap((type) -> Stream.of(type, type + "$Sentinel", type + "$Standalone"))
			.filter((type) -> ClassUtils.isPresent(type, null))
			.flatMap((type) -> Stream.of(ClassUtils.resolveClassName(type, null).getMethods()))
			.filter((method) -> Set.of("getSslBundle", "getSentinel", "getStandalone").contains(method.getName()))
			.toList();
		assertThat(getters).hasSizeGreaterThan(2).allMatch(this::isInvocable);
	}

	@Test
	void answersOfTheEndpointAreTold() {
		new ReflectiveRuntimeHintsRegistrar().registerRuntimeHints(this.hints, LocksEndpoint.class);
		assertThat(LockDescriptors.class.getDeclaredClasses()).filteredOn(Class::isRecord)
			.hasSizeGreaterThan(5)
			.allSatisfy((answer) -> assertThat(answer.getRecordComponents())
				.allMatch((component) -> isInvocable(component.getAccessor())));
	}

	@Test
	void beanWithoutAnnotationsAddsNothing() {
		assertThat(contribution(String.class)).isNull();
	}

	@Test
	void methodsOfAnnotatedBeansAndTheirFallbacksAreTold() throws NoSuchMethodException {
		process(Shop.class);
		assertThat(isInvocable(Shop.class.getMethod("ship", Order.class))).isTrue();
		assertThat(isInvocable(Base.class.getDeclaredMethod("later", Order.class, LockNotAcquiredException.class)))
			.isTrue();
		assertThat(isInvocable(Api.class.getMethod("ship", Order.class))).isTrue();
	}

	@Test
	void whatKeysReadIsTold() throws NoSuchMethodException {
		process(Shop.class);
		assertThat(isInvocable(Order.class.getMethod("lines"))).isTrue();
		assertThat(isInvocable(Line.class.getMethod("getProduct"))).isTrue();
		assertThat(isInvocable(Product.class.getMethod("sku"))).isTrue();
		assertThat(isInvocable(Long.class.getMethod("longValue"))).isTrue();
		assertThat(isInvocable(Tenants.class.getMethod("current"))).isTrue();
		assertThat(isInvocable(LocalDate.class.getMethod("now"))).isTrue();
		assertThat(isReadable(Line.class, "amount")).isTrue();
		assertThat(reflection().onType(Unrelated.class)).rejects(this.hints);
	}

	@Test
	void annotationOfAnInterfaceIsFound() throws NoSuchMethodException {
		process(Implementation.class);
		assertThat(isInvocable(Implementation.class.getMethod("ship", Order.class))).isTrue();
	}

	// Not by the predicates of Spring, which have other names in Spring Framework 6.
	private boolean isInvocable(Method method) {
		TypeHint type = this.hints.reflection().getTypeHint(method.getDeclaringClass());
		return type != null
				&& (type.getMemberCategories().contains(MemberCategory.INVOKE_PUBLIC_METHODS) || type.methods()
					.anyMatch((hint) -> hint.getMode() == ExecutableMode.INVOKE
							&& hint.getName().equals(method.getName())
							&& hint.getParameterTypes().equals(TypeReference.listOf(method.getParameterTypes()))));
	}

	private boolean isReadable(Class<?> type, String field) {
		TypeHint hint = this.hints.reflection().getTypeHint(type);
		return hint != null && hint.fields().anyMatch((candidate) -> candidate.getName().equals(field));
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
