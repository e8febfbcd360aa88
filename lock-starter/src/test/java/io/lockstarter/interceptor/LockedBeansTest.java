// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Objects;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;

import io.lockstarter.LockScope;
import io.lockstarter.LockSetupException;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.DistributedPermit;
import io.lockstarter.annotation.LeaderOnly;
import io.lockstarter.autoconfigure.LeaderAutoConfiguration;
import io.lockstarter.autoconfigure.LockAutoConfiguration;
import io.lockstarter.autoconfigure.LockInterceptorAutoConfiguration;
import io.lockstarter.interceptor.key.OtherPackage;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.ProxyFactoryBean;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.ClassWriter;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.beans.factory.BeanNameAware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.CustomScopeConfigurer;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.context.support.SimpleThreadScope;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.core.env.MapPropertySource;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LockedBeans}, and for what {@link LockSpecSource} refuses in every
 * mode of validation: no annotated method runs without its lock, and what is legal
 * starts.
 */
class LockedBeansTest {

	private final ApplicationContextRunner runner = new ApplicationContextRunner().withAllowCircularReferences(true)
		.withPropertyValues("distributed-lock.store=memory")
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class, LockInterceptorAutoConfiguration.class,
				LeaderAutoConfiguration.class))
		.withUserConfiguration(Scheduling.class);

	@ParameterizedTest
	@ValueSource(classes = { AfterConstruction.class, BeforeDestruction.class, Initializing.class, Disposable.class,
			Aware.class, Injected.class, InitMethod.class, InferredClose.class, InferredShutdown.class,
			Closeable.class })
	void callbackOnTheObjectBehindTheProxyIsRefused(Class<?> configuration) {
		refused(configuration, "on the object behind the proxy");
		assertThat(Calls.CALLS).as("not even once").isEmpty();
	}

	@ParameterizedTest
	@ValueSource(classes = { BeanMethod.class, StaticBeanMethod.class, MakesProducts.class })
	void lockAroundTheMakingOfABeanIsRefused(Class<?> configuration) {
		refused(configuration, "the method makes a bean");
	}

	@ParameterizedTest
	@ValueSource(classes = { FinalTemplate.class, NoPublicMethod.class, OnlyAConstructor.class, OnlyBeans.class,
			InitializedTemplate.class })
	void annotationOfAClassThatCoversNoMethodIsRefused(Class<?> type) {
		refused(type, "on " + type.getName() + " has no effect");
	}

	@ParameterizedTest
	@ValueSource(classes = { HiddenSchedule.class, HiddenListener.class, HiddenLeader.class, HiddenPermit.class,
			InheritedFinalSchedule.class })
	void entryThatTheAnnotationOfItsClassDoesNotCoverIsRefused(Class<?> type) {
		refused(type, "the annotation of its class applies to public methods");
	}

	@ParameterizedTest
	@ValueSource(classes = { PrivateInInterface.class, StaticInInterface.class })
	void methodOfAnInterfaceThatNoProxyInterceptsIsRefused(Class<?> type) {
		refused(type, "private, static or final");
	}

	@Test
	void packagePrivateMethodOfAnotherPackageOrClassLoaderIsRefused() throws ReflectiveOperationException {
		refused(Foreign.class, "no proxy can override a package-private method");
		Class<?> inOtherLoader = redefined(SamePackage.class, 0);
		assertThat(failure(
				this.runner.withClassLoader(inOtherLoader.getClassLoader()).withUserConfiguration(inOtherLoader)))
			.hasMessageContaining("no proxy can override a package-private method");
		assertThat(locked(SamePackage.class, SameBase::hidden)).isTrue();
	}

	@ParameterizedTest
	@ValueSource(classes = { AnInterceptor.class, APostProcessor.class, AFactoryPostProcessor.class })
	void beanThatIsNeverProxiedIsRefused(Class<?> type) {
		refused(type, "has no proxy that takes the lock", "no aspect, advice or post-processor");
	}

	/**
	 * Whoever asks the creator of proxies which one it would make marks the definition.
	 */
	@Test
	void beanOfAFinalClassThatIsNeverProxiedIsRefusedWhereProxiesHaveInterfaces() {
		assertThat(failure(this.runner.withPropertyValues("spring.aop.proxy-target-class=false")
			.withUserConfiguration(FinalInterceptor.class))).isInstanceOf(LockSetupException.class)
			.hasMessageContaining("has no proxy that takes the lock")
			.hasMessageContaining("no aspect, advice or post-processor");
	}

	@ParameterizedTest
	@ValueSource(classes = { AskedForEarly.class, NeededEarly.class, EarlyConfiguration.class })
	void beanThatIsMadeBeforeThoseThatProxyItIsRefused(Class<?> configuration) {
		refused(configuration, "has no proxy that takes the lock", "no post-processor needs the bean");
	}

	@Test
	void objectThatIsRegisteredIsRefused() {
		assertThat(failure(this.runner
			.withInitializer((context) -> context.getBeanFactory().registerSingleton("registered", new Service()))))
			.hasMessageContaining("the bean 'registered' has no proxy")
			.hasMessageContaining("Register a definition");
	}

	@ParameterizedTest
	@ValueSource(classes = { SelfScheduled.class, Circle.class, SelfListening.class, SelfListeningClass.class })
	void targetOfASchedulerOrListenerThatHasNoProxyIsRefused(Class<?> configuration) {
		refused(configuration, "its bean refers to itself", "Break the circle");
	}

	@ParameterizedTest
	@ValueSource(strings = { "warn", "off" })
	void refusesWhateverTheValidationSays(String validation) {
		ApplicationContextRunner lenient = this.runner.withPropertyValues("distributed-lock.validation=" + validation);
		for (Class<?> each : List.of(AfterConstruction.class, BeanMethod.class, FinalTemplate.class,
				HiddenSchedule.class, Foreign.class, AnInterceptor.class, NeededEarly.class, SelfScheduled.class)) {
			assertThat(failure(lenient.withUserConfiguration(each))).as(each.getName())
				.isInstanceOf(LockSetupException.class);
		}
	}

	@Test
	void refusesNothingWithoutLocks() {
		for (Class<?> each : List.of(AfterConstruction.class, BeanMethod.class, FinalTemplate.class,
				HiddenSchedule.class, Foreign.class, AnInterceptor.class, NeededEarly.class)) {
			this.runner.withPropertyValues("distributed-lock.enabled=false")
				.withUserConfiguration(each)
				.run((context) -> assertThat(context).hasNotFailed());
			new ApplicationContextRunner().withAllowCircularReferences(true)
				.withUserConfiguration(each)
				.run((context) -> assertThat(context).hasNotFailed());
		}
	}

	@Test
	void beanThatIsMadeLaterIsRefusedThen() {
		this.runner.withUserConfiguration(Later.class).run((context) -> {
			assertThat(context).hasNotFailed();
			for (String name : List.of("lazy", "prototype", "scoped")) {
				assertThatExceptionOfType(Exception.class).as(name)
					.isThrownBy(() -> context.getBean(name).toString())
					.havingRootCause()
					.isInstanceOf(LockSetupException.class)
					.withMessageContaining("has no proxy that takes the lock");
			}
		});
		this.runner.withUserConfiguration(AnInterceptor.class)
			.withInitializer((context) -> context.addBeanFactoryPostProcessor(
					(beans) -> beans.getBeanDefinition(beans.getBeanNamesForType(AnInterceptor.class)[0])
						.setLazyInit(true)))
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void beanOfAChildWithoutTheAdviceIsRefused() {
		this.runner.run((parent) -> {
			assertThatExceptionOfType(LockSetupException.class).isThrownBy(() -> child(parent, Service.class).close())
				.withMessageContaining("Let the auto-configuration take part in the context of the bean");
			try (AnnotationConfigApplicationContext child = child(parent, LazyService.class);
					AnnotationConfigApplicationContext grandchild = child(child)) {
				assertThatExceptionOfType(Exception.class).isThrownBy(() -> child.getBean(Service.class))
					.havingRootCause()
					.isInstanceOf(LockSetupException.class);
				assertThatExceptionOfType(LockSetupException.class)
					.isThrownBy(() -> child(grandchild, Service.class).close());
			}
			try (AnnotationConfigApplicationContext off = child(parent, false, Service.class)) {
				assertThat(off.getBean(Service.class).run()).isFalse();
			}
			try (AnnotationConfigApplicationContext child = child(parent, LockAutoConfiguration.class,
					LockInterceptorAutoConfiguration.class, Service.class)) {
				assertThat(child.getBean(Service.class).run()).isTrue();
			}
		});
	}

	@Test
	void beanOfAParentWithoutTheAdviceIsRefused() {
		try (AnnotationConfigApplicationContext parent = new AnnotationConfigApplicationContext(Service.class)) {
			assertThat(failure(this.runner.withParent(parent)))
				.hasMessageContaining("Let the auto-configuration take part in the context of the bean");
		}
	}

	@Test
	void genericBaseOfAnAnnotatedInterfaceIsLocked() {
		for (boolean classProxy : List.of(true, false)) {
			this.runner.withPropertyValues("spring.aop.proxy-target-class=" + classProxy)
				.withUserConfiguration(Warehouse.class, BoundedWarehouse.class, DeepWarehouse.class)
				.run((context) -> {
					assertThat(context).hasNotFailed();
					for (Shipping each : context.getBeansOfType(Shipping.class).values()) {
						assertThat(each.ship(new Order(1))).isTrue();
					}
					assertThat(context.getBean("lockedBeansTest.BoundedWarehouse", BoundedShipping.class)
						.ship(new Order(1))).isTrue();
				});
		}
		assertThat(locked(Warehouse.class, (bean) -> ((Base<Order>) bean).ship(new Order(1)))).isTrue();
	}

	@Test
	void syntheticMethodIsLocked() throws ReflectiveOperationException {
		Class<?> type = redefined(Synthetic.class, Opcodes.ACC_SYNTHETIC);
		Method work = type.getMethod("work");
		assertThat(work.isSynthetic()).isTrue();
		this.runner.withClassLoader(type.getClassLoader()).withUserConfiguration(type).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(ReflectionUtils.invokeMethod(work, context.getBean(type))).isEqualTo(true);
		});
	}

	@Test
	void whatIsLegalStartsAndIsLocked() {
		assertThat(locked(SelfAtLast.class, SelfAtLast::run)).isTrue();
		assertThat(locked(Other.class, (bean) -> bean.ask())).isTrue();
		assertThat(locked(PublicAndInitialized.class, PublicAndInitialized::run)).isTrue();
		assertThat(locked(Template.class, Template::execute)).isTrue();
		assertThat(locked(Settings.class, Settings::run)).isTrue();
		assertThat(locked(Auction.class, (bean) -> bean.close("1"))).isTrue();
		assertThat(locked(ClosedByOthers.class, (bean) -> {
			bean.close();
			return bean.isLocked();
		})).isTrue();
		assertThat(locked(ThreadScoped.class, ThreadScoped::run)).isTrue();
	}

	@ParameterizedTest
	@ValueSource(classes = { SelfLater.class, EventCircle.class, ApplicationListenerCircle.class, LockedLifecycle.class,
			LockedSingleton.class })
	void callOfTheContainerThroughTheProxyIsLocked(Class<?> configuration) {
		Calls.CALLS.clear();
		this.runner.withUserConfiguration(configuration).run((context) -> {
			assertThat(context).hasNotFailed();
			await().until(() -> !Calls.CALLS.isEmpty());
		});
		assertThat(Calls.CALLS).containsOnly(true);
	}

	@Test
	void proxyThatOthersWrapOrMakeIsLocked() {
		for (Class<?> configuration : List.of(WrappedAfterwards.class, WrappedBefore.class, Product.class,
				ProxiedByHand.class)) {
			this.runner.withUserConfiguration(configuration).run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.getBean(Work.class).run()).as(configuration.getName()).isTrue();
			});
		}
	}

	private void refused(Class<?> configuration, String... messages) {
		Calls.CALLS.clear();
		assertThat(failure(this.runner.withUserConfiguration(configuration))).isInstanceOf(LockSetupException.class)
			.message()
			.contains(messages);
	}

	private static Throwable failure(ApplicationContextRunner runner) {
		Throwable[] failure = new Throwable[1];
		runner.run((context) -> {
			assertThat(context).hasFailed();
			Throwable each = context.getStartupFailure();
			while (each.getCause() != null) {
				each = each.getCause();
			}
			failure[0] = each;
		});
		return failure[0];
	}

	private <T> boolean locked(Class<T> type, Predicate<T> call) {
		boolean[] locked = new boolean[1];
		this.runner.withUserConfiguration(type).run((context) -> {
			assertThat(context).hasNotFailed();
			locked[0] = call.test(context.getBean(type));
		});
		return locked[0];
	}

	private static AnnotationConfigApplicationContext child(ApplicationContext parent, Class<?>... beans) {
		return child(parent, true, beans);
	}

	private static AnnotationConfigApplicationContext child(ApplicationContext parent, boolean enabled,
			Class<?>... beans) {
		AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext();
		child.setParent(parent);
		child.getEnvironment()
			.getPropertySources()
			.addFirst(new MapPropertySource("child", Map.of("distributed-lock.enabled", enabled)));
		ConfigurationPropertySources.attach(child.getEnvironment());
		if (beans.length > 0) {
			child.register(beans);
		}
		child.refresh();
		return child;
	}

	/**
	 * The class once more, in a class loader of its own.
	 */
	private static Class<?> redefined(Class<?> type, int access) throws ClassNotFoundException {
		ClassWriter writer = new ClassWriter(0);
		try (InputStream code = type.getResourceAsStream("/" + type.getName().replace('.', '/') + ".class")) {
			new ClassReader(code).accept(new ClassVisitor(SpringAsmInfo.ASM_VERSION, writer) {

				@Override
				public MethodVisitor visitMethod(int flags, String name, String descriptor, String signature,
						String[] exceptions) {
					return super.visitMethod(name.equals("work") ? flags | access : flags, name, descriptor, signature,
							exceptions);
				}

				@Override
				public void visitInnerClass(String name, String outerName, String innerName, int flags) {
					// A class of another loader is no member.
				}

				@Override
				public void visitNestHost(String host) {
					// Nor a nest mate.
				}

			}, 0);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return new ClassLoader(LockedBeansTest.class.getClassLoader()) {

			@Override
			protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
				if (!name.equals(type.getName())) {
					return super.loadClass(name, resolve);
				}
				Class<?> loaded = findLoadedClass(name);
				byte[] code = writer.toByteArray();
				return (loaded != null) ? loaded : defineClass(name, code, 0, code.length);
			}

		}.loadClass(type.getName());
	}

	static final class Calls {

		/**
		 * For each call by the container, whether it was locked.
		 */
		static final List<Boolean> CALLS = new CopyOnWriteArrayList<>();

		private Calls() {
		}

		static boolean note() {
			boolean locked = LockScope.find().isPresent();
			CALLS.add(locked);
			return locked;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class Scheduling {

		@Bean
		static CustomScopeConfigurer scopes() {
			CustomScopeConfigurer scopes = new CustomScopeConfigurer();
			scopes.addScope("thread", new SimpleThreadScope());
			return scopes;
		}

	}

	static class AfterConstruction {

		@PostConstruct
		@DistributedLock("k")
		public void run() {
			Calls.note();
		}

	}

	static class BeforeDestruction {

		@PreDestroy
		@DistributedLock("k")
		public void run() {
			Calls.note();
		}

	}

	static class Initializing implements InitializingBean {

		@Override
		@DistributedLock("k")
		public void afterPropertiesSet() {
			Calls.note();
		}

	}

	static class Disposable implements DisposableBean {

		@Override
		@LeaderOnly("k")
		public void destroy() {
			Calls.note();
		}

	}

	static class Aware implements BeanNameAware {

		@Override
		@DistributedLock("k")
		public void setBeanName(String name) {
			Calls.note();
		}

	}

	static class Injected {

		@Autowired
		@DistributedPermit(key = "k", limit = "1")
		public void use(Scheduling scheduling) {
			Calls.note();
		}

	}

	static class Lifecycle {

		@DistributedLock("k")
		public void init() {
			Calls.note();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class InitMethod {

		@Bean(initMethod = "init")
		Lifecycle lifecycle() {
			return new Lifecycle();
		}

	}

	static class Closes {

		@DistributedLock("k")
		public void close() {
			Calls.note();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class InferredClose {

		@Bean
		Closes closes() {
			return new Closes();
		}

	}

	static class ShutsDown {

		@DistributedLock("k")
		public void shutdown() {
			Calls.note();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class InferredShutdown {

		@Bean
		ShutsDown shutsDown() {
			return new ShutsDown();
		}

	}

	static class Closeable implements AutoCloseable {

		@Override
		@DistributedLock("k")
		public void close() {
			Calls.note();
		}

	}

	@Configuration
	static class BeanMethod {

		@Bean
		@DistributedLock("k")
		Other other() {
			return new Other();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class StaticBeanMethod {

		@Bean
		@DistributedLock("k")
		static Other other() {
			return new Other();
		}

	}

	static class MakesProducts implements FactoryBean<String> {

		@Override
		@DistributedLock("k")
		public String getObject() {
			return "";
		}

		@Override
		public Class<?> getObjectType() {
			return String.class;
		}

	}

	abstract static class JobBean {

		public final boolean execute() {
			return executeInternally();
		}

		protected abstract boolean executeInternally();

	}

	@DistributedLock("k")
	static class FinalTemplate extends JobBean {

		@Override
		protected boolean executeInternally() {
			return LockScope.find().isPresent();
		}

	}

	@DistributedLock("k")
	static class InitializedTemplate extends FinalTemplate {

		@PostConstruct
		public void init() {
		}

	}

	static class Template extends JobBean {

		@Override
		@DistributedLock("k")
		protected boolean executeInternally() {
			return LockScope.find().isPresent();
		}

	}

	@LeaderOnly("k")
	static class NoPublicMethod {

		void run() {
		}

	}

	@DistributedPermit(key = "k", limit = "1")
	static class OnlyAConstructor {

	}

	@DistributedLock("k")
	@Configuration(proxyBeanMethods = false)
	static class OnlyBeans {

		@Bean
		public Other other() {
			return new Other();
		}

	}

	@DistributedLock("k")
	static class HiddenSchedule {

		@Scheduled(fixedDelay = 1000)
		void run() {
		}

		public void status() {
		}

	}

	@DistributedLock("k")
	static class HiddenListener {

		@EventListener
		void on(ContextRefreshedEvent event) {
		}

		public void status() {
		}

	}

	@LeaderOnly("k")
	static class HiddenLeader {

		@Scheduled(fixedDelay = 1000)
		void run() {
		}

	}

	@DistributedPermit(key = "k", limit = "1")
	static class HiddenPermit {

		@Scheduled(fixedDelay = 1000)
		protected void run() {
		}

	}

	static class FinalSchedule {

		@Scheduled(fixedDelay = 1000)
		public final void run() {
		}

	}

	@DistributedLock("k")
	static class InheritedFinalSchedule extends FinalSchedule {

		public void status() {
		}

	}

	interface WithPrivateMethod {

		@DistributedLock("k")
		private void hidden() {
		}

		default void run() {
			hidden();
		}

	}

	interface BelowIt extends WithPrivateMethod {

	}

	static class PrivateInInterface implements BelowIt {

	}

	interface WithStaticMethod {

		@DistributedLock("k")
		static void run() {
		}

	}

	static class StaticInInterface implements WithStaticMethod {

	}

	static class Foreign extends OtherPackage {

	}

	public static class SameBase {

		@DistributedLock("k")
		boolean hidden() {
			return LockScope.find().isPresent();
		}

	}

	public static class SamePackage extends SameBase {

	}

	public static class Synthetic {

		@DistributedLock("k")
		public boolean work() {
			return LockScope.find().isPresent();
		}

	}

	static class AnInterceptor implements MethodInterceptor {

		@Override
		public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
			return invocation.proceed();
		}

		@DistributedLock("k")
		public void flush() {
		}

	}

	static final class FinalInterceptor implements MethodInterceptor {

		@Override
		public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
			return invocation.proceed();
		}

		@DistributedLock("k")
		public void flush() {
		}

	}

	static class APostProcessor implements BeanPostProcessor, PriorityOrdered {

		@Override
		public int getOrder() {
			return 0;
		}

		@DistributedLock("k")
		public void flush() {
		}

	}

	@DistributedLock("k")
	static class AFactoryPostProcessor implements BeanFactoryPostProcessor {

		@Override
		public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
		}

	}

	interface Work {

		@DistributedLock("k")
		boolean run();

	}

	static class Service implements Work {

		@Override
		public boolean run() {
			return LockScope.find().isPresent();
		}

	}

	@Lazy
	static class LazyService extends Service {

	}

	@Configuration(proxyBeanMethods = false)
	static class AskedForEarly {

		@Bean
		static Service service() {
			return new Service();
		}

		@Bean
		static BeanFactoryPostProcessor asks() {
			return (beans) -> beans.getBean(Service.class);
		}

	}

	static class First implements BeanPostProcessor, PriorityOrdered {

		@Override
		public int getOrder() {
			return 0;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class NeededEarly {

		@Bean
		static Service service() {
			return new Service();
		}

		@Bean
		static First first(Service service) {
			return new First();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class EarlyConfiguration {

		@DistributedLock("k")
		public void run() {
		}

		@Bean
		First first() {
			return new First();
		}

	}

	static class SelfScheduled {

		@Autowired
		SelfScheduled self;

		@Scheduled(fixedDelay = 10)
		@DistributedLock("k")
		public void run() {
			Calls.note();
		}

	}

	static class CircleJob {

		@Autowired
		CircleOther other;

		@Scheduled(fixedDelay = 10)
		@DistributedLock("k")
		public void run() {
			Calls.note();
		}

	}

	static class CircleOther {

		@Autowired
		CircleJob job;

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ CircleJob.class, CircleOther.class })
	static class Circle {

	}

	@Retention(RetentionPolicy.RUNTIME)
	@interface QueueListener {

	}

	static class SelfListening {

		@Autowired
		SelfListening self;

		@QueueListener
		@DistributedLock("k")
		public void receive() {
		}

	}

	@QueueListener
	static class SelfListeningClass {

		@Autowired
		SelfListeningClass self;

		@DistributedLock("k")
		public void receive() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Later {

		@Bean
		@Lazy
		AnInterceptor lazy() {
			return new AnInterceptor();
		}

		@Bean
		@Scope("prototype")
		AnInterceptor prototype() {
			return new AnInterceptor();
		}

		@Bean
		@Scope("thread")
		AnInterceptor scoped() {
			return new AnInterceptor();
		}

	}

	record Order(long id) {

	}

	static class Base<T> {

		public boolean ship(T what) {
			return LockScope.find().isPresent();
		}

	}

	interface Shipping {

		@DistributedLock("order:#{#order.id}")
		boolean ship(Order order);

	}

	interface Bounded<T extends Order> {

		@DistributedLock("order:1")
		boolean ship(T order);

	}

	interface BoundedShipping extends Bounded<Order> {

	}

	static class Warehouse extends Base<Order> implements Shipping {

	}

	static class BoundedWarehouse extends Base<Order> implements BoundedShipping {

	}

	static class DeepWarehouse extends Warehouse {

	}

	static class SelfAtLast {

		@Autowired
		@Lazy
		SelfAtLast self;

		@DistributedLock("k")
		public boolean run() {
			return LockScope.find().isPresent();
		}

	}

	static class SelfLater {

		@Autowired
		@Lazy
		SelfLater self;

		@Scheduled(fixedDelay = 10)
		@DistributedLock("k")
		public void run() {
			Calls.note();
		}

	}

	static class Other {

		@Autowired
		@Nullable Other self;

		@DistributedLock("k")
		public boolean run() {
			return LockScope.find().isPresent();
		}

		public boolean ask() {
			return Objects.requireNonNull(this.self).run();
		}

	}

	@DistributedLock("k")
	static class PublicAndInitialized implements AutoCloseable {

		@PostConstruct
		public void init() {
		}

		public boolean run() {
			return LockScope.find().isPresent();
		}

		@Override
		public void close() {
		}

	}

	@Configuration
	static class Settings {

		@DistributedLock("k")
		public boolean run() {
			return LockScope.find().isPresent();
		}

	}

	static class Auction implements AutoCloseable {

		@DistributedLock("auction:#{#id}")
		public boolean close(String id) {
			return LockScope.find().isPresent();
		}

		@Override
		public void close() {
		}

	}

	// Of two methods for its end, the container calls the one of its own interface.
	static class ClosedByOthers implements DisposableBean, AutoCloseable {

		private boolean locked;

		boolean isLocked() {
			return this.locked;
		}

		@Override
		@DistributedLock("k")
		public void close() {
			this.locked = LockScope.find().isPresent();
		}

		@Override
		public void destroy() {
		}

	}

	@Scope(scopeName = "thread", proxyMode = ScopedProxyMode.TARGET_CLASS)
	static class ThreadScoped {

		@DistributedLock("k")
		public boolean run() {
			return LockScope.find().isPresent();
		}

	}

	static class EventCircle {

		@Autowired
		EventCircle self;

		@EventListener
		@DistributedLock("k")
		public void on(ContextRefreshedEvent event) {
			Calls.note();
		}

	}

	static class ApplicationListenerCircle implements ApplicationListener<ContextRefreshedEvent> {

		@Autowired
		ApplicationListenerCircle self;

		@Override
		@DistributedLock("k")
		public void onApplicationEvent(ContextRefreshedEvent event) {
			Calls.note();
		}

	}

	static class LockedLifecycle implements SmartLifecycle {

		@Override
		@DistributedLock("k")
		public void start() {
			Calls.note();
		}

		@Override
		public void stop() {
		}

		@Override
		public boolean isRunning() {
			return false;
		}

	}

	static class LockedSingleton implements SmartInitializingSingleton {

		@Override
		@DistributedLock("k")
		public void afterSingletonsInstantiated() {
			Calls.note();
		}

	}

	/**
	 * Wraps as many a library does, in a proxy that Spring knows nothing of.
	 */
	static class Wrapper implements BeanPostProcessor {

		@Override
		public Object postProcessAfterInitialization(Object bean, String beanName) {
			return (bean instanceof Work) ? Proxy.newProxyInstance(Work.class.getClassLoader(),
					new Class<?>[] { Work.class }, (proxy, method, arguments) -> method.invoke(bean, arguments)) : bean;
		}

	}

	static class EarlierWrapper extends Wrapper implements Ordered {

		@Override
		public int getOrder() {
			return 0;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ EarlierWrapper.class, Service.class })
	static class WrappedBefore {

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Service.class)
	static class WrappedAfterwards {

		@Bean
		static Wrapper wrapper() {
			return new Wrapper();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Product {

		@Bean
		FactoryBean<Work> work() {
			return new FactoryBean<>() {

				@Override
				public Work getObject() {
					return new Service();
				}

				@Override
				public Class<?> getObjectType() {
					return Work.class;
				}

			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ProxiedByHand {

		@Bean
		ProxyFactoryBean work() {
			ProxyFactoryBean factory = new ProxyFactoryBean();
			factory.setTarget(new Service());
			return factory;
		}

	}

}
