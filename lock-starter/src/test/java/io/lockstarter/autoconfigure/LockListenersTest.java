// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

import io.lockstarter.LockBusyEvent;
import io.lockstarter.LeaseInfo;
import io.lockstarter.Lease;
import io.lockstarter.LockListener;
import io.lockstarter.LockLostEvent;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LossCause;
import io.lockstarter.engine.DefaultLockRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.MDC;

import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

@ExtendWith(OutputCaptureExtension.class)
class LockListenersTest {

	private final ApplicationContextRunner application = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
		.withPropertyValues("distributed-lock.store=memory");

	private final Lease lease = mock();

	private final List<@Nullable Map<String, String>> contexts = new ArrayList<>();

	@BeforeEach
	void nameTheLease() {
		given(this.lease.key()).willReturn("stock:42");
		given(this.lease.ownerId()).willReturn("shop@web-1-17-ab:3");
		given(this.lease.fencingToken()).willReturn(7L);
	}

	@Test
	void leaseIsNamedInTheMdcWhileListenersAreCalled() {
		tellLoss(listeners(this::recordContext));
		assertThat(this.contexts)
			.containsExactly(Map.of("lock.key", "stock:42", "lock.owner", "shop@web-1-17-ab:3", "lock.token", "7"));
		assertThat(MDC.getCopyOfContextMap()).isNullOrEmpty();
	}

	@Test
	void listenerThatFailsIsLoggedOnceAndKeepsNobodyFromBeingCalled(CapturedOutput output) {
		List<LockListener> listeners = listeners(() -> {
			throw new IllegalStateException("broken");
		}, this::recordContext);
		for (int i = 0; i < 100; i++) {
			tellLoss(listeners);
		}
		assertThat(this.contexts).hasSize(100);
		assertThat(output.toString().lines().filter((line) -> line.contains("A lock listener failed"))).hasSize(1);
	}

	@Test
	void eachBeanHasAListenerOfItsOwnAndOneIsThereForThoseThatComeLater() {
		List<Integer> called = new ArrayList<>();
		List<LockListener> beans = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			int number = i;
			beans.add(listener(() -> called.add(number)));
		}
		List<LockListener> listeners = ofBeans(beans).of(2, false);
		assertThat(listeners).hasSize(3);
		listeners.get(1).lost(this.lease, LossCause.EXPIRED);
		assertThat(called).containsExactly(1);
		listeners.get(2).lost(this.lease, LossCause.EXPIRED);
		assertThat(called).containsExactly(1, 2, 3);
	}

	@Test
	void frequentEventsAreToldInTheOrderOfTheBeans() {
		List<String> told = new ArrayList<>();
		List<LockListener> beans = List.of(new Recorder("a", told), new Recorder("b", told));
		LockListeners listeners = ofBeans(beans);
		listeners.of(2, true).forEach((listener) -> {
			listener.acquired(this.lease, Duration.ZERO);
			listener.released(this.lease, Duration.ZERO);
			listener.busy(new LockBusyEvent("stock:42", "stock", Duration.ZERO, List.of()));
		});
		assertThat(told).containsExactly("acquired a", "acquired b", "released a", "released b", "busy a", "busy b");
	}

	@Test
	void beanThatBlocksDelaysNeitherOtherBeansNorTheLogNorTheEvent(CapturedOutput output) {
		CountDownLatch blocked = new CountDownLatch(1);
		List<String> heard = new CopyOnWriteArrayList<>();
		List<String> published = new CopyOnWriteArrayList<>();
		this.application.withBean("blocks", LockListener.class, () -> hearing((key) -> awaitUninterruptibly(blocked)))
			.withBean("hears", LockListener.class, () -> hearing((key) -> heard.add(key)))
			.withInitializer((context) -> context.addApplicationListener(
					ApplicationListener.forPayload((LockLostEvent event) -> published.add(event.lease().key()))))
			.run((context) -> {
				try {
					LockRegistry locks = context.getBean(LockRegistry.class);
					locks.acquire("first", LockOptions.defaults().withTtl(Duration.ofMillis(50)).withRenew(false));
					await().until(() -> heard.contains("first"));
					locks.acquire("second", LockOptions.defaults());
					context.getBean(DefaultLockRegistry.class).forceRelease("second", null).join();
					await().untilAsserted(() -> assertThat(heard).containsExactly("first", "second"));
					await().untilAsserted(() -> assertThat(published).containsExactly("first", "second"));
					// Of another cause than the first, so that it is not only counted.
					await().untilAsserted(() -> assertThat(output).contains("Lock 'second' was lost (FORCED"));
				}
				finally {
					blocked.countDown();
				}
			});
	}

	private void recordContext() {
		this.contexts.add(MDC.getCopyOfContextMap());
	}

	private void tellLoss(List<LockListener> listeners) {
		listeners.forEach((listener) -> listener.lost(this.lease, LossCause.EXPIRED));
	}

	private static List<LockListener> listeners(Runnable... actions) {
		List<LockListener> beans = Arrays.stream(actions).map(LockListenersTest::listener).toList();
		return ofBeans(beans).of(actions.length, false);
	}

	private static LockListeners ofBeans(List<LockListener> listeners) {
		StaticListableBeanFactory beans = new StaticListableBeanFactory();
		for (LockListener listener : listeners) {
			beans.addBean("listener" + beans.getBeanDefinitionCount(), listener);
		}
		return new LockListeners(beans);
	}

	private static LockListener listener(Runnable action) {
		return hearing((key) -> action.run());
	}

	private static LockListener hearing(Consumer<String> action) {
		return new LockListener() {

			@Override
			public void lost(LeaseInfo lease, LossCause cause) {
				action.accept(lease.key());
			}

		};
	}

	private static void awaitUninterruptibly(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private record Recorder(String name, List<String> told) implements LockListener {

		@Override
		public void acquired(LeaseInfo lease, Duration waited) {
			this.told.add("acquired " + this.name);
		}

		@Override
		public void released(LeaseInfo lease, Duration held) {
			this.told.add("released " + this.name);
		}

		@Override
		public void busy(LockBusyEvent event) {
			this.told.add("busy " + this.name);
		}

	}

}
