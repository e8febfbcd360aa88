// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.integration.spring;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import io.lockstarter.LockOptions;
import io.lockstarter.integration.TestInstance;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.aggregator.AggregatingMessageHandler;
import org.springframework.integration.aggregator.DefaultAggregatingMessageGroupProcessor;
import org.springframework.integration.annotation.ServiceActivator;
import org.springframework.integration.channel.DirectChannel;
import org.springframework.integration.channel.QueueChannel;
import org.springframework.integration.config.EnableIntegration;
import org.springframework.integration.handler.advice.LockRequestHandlerAdvice;
import org.springframework.integration.store.MessageGroupStore;
import org.springframework.integration.store.SimpleMessageStore;
import org.springframework.integration.support.MessageBuilder;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageChannel;
import org.springframework.messaging.MessageHandler;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Components of Spring Integration in two instances, which share a message store, with
 * the registry for the version of Spring Integration that there is.
 */
@SuppressWarnings("rawtypes")
class IntegrationComponentsTest {

	private static final boolean HAS_DISTRIBUTED_LOCK = ClassUtils
		.isPresent("org.springframework.integration.support.locks.DistributedLock", null);

	private static final int GROUPS = 20;

	private static final int SIZE = 10;

	@Test
	void twoAggregatorsReleaseEachGroupOnce() throws Exception {
		try (AnnotationConfigApplicationContext context = context()) {
			List<MessageHandler> aggregators = List.of(context.getBean("firstAggregator", MessageHandler.class),
					context.getBean("secondAggregator", MessageHandler.class));
			String run = TestInstance.newKey();
			inParallel(GROUPS * SIZE,
					(number) -> aggregators.get(number % 2)
						.handleMessage(MessageBuilder.withPayload(number)
							.setCorrelationId(run + number / SIZE)
							.setSequenceNumber(number % SIZE + 1)
							.setSequenceSize(SIZE)
							.build()));
			QueueChannel output = context.getBean("output", QueueChannel.class);
			List<List<?>> groups = new ArrayList<>();
			for (Message<?> message = output.receive(0); message != null; message = output.receive(0)) {
				groups.add((List<?>) message.getPayload());
			}
			assertThat(groups).hasSize(GROUPS).allMatch((group) -> new HashSet<>(group).size() == SIZE);
		}
	}

	@Test
	void handlersWithALockAdviceRunInOnePlaceAtATime() throws Exception {
		try (AnnotationConfigApplicationContext context = context()) {
			String key = TestInstance.newKey();
			List<MessageChannel> inputs = List.of(context.getBean("first", MessageChannel.class),
					context.getBean("second", MessageChannel.class));
			inParallel(100, (number) -> inputs.get(number % 2).send(MessageBuilder.withPayload(key).build()));
			Counter counter = context.getBean(Counter.class);
			assertThat(counter.value).isEqualTo(100);
			assertThat(counter.overlaps).hasValue(0);
		}
	}

	private static AnnotationConfigApplicationContext context() {
		return new AnnotationConfigApplicationContext(TwoInstances.class);
	}

	private static void inParallel(int count, java.util.function.IntConsumer task) throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(8);
		try {
			List<Future<?>> done = new ArrayList<>();
			IntStream.range(0, count).forEach((number) -> done.add(threads.submit(() -> task.accept(number))));
			for (Future<?> each : done) {
				each.get(60, TimeUnit.SECONDS);
			}
		}
		finally {
			threads.shutdownNow();
		}
	}

	/**
	 * Counts without any protection of its own.
	 */
	static class Counter {

		private final AtomicInteger inside = new AtomicInteger();

		private final AtomicInteger overlaps = new AtomicInteger();

		private int value;

		void increment() {
			if (this.inside.incrementAndGet() > 1) {
				this.overlaps.incrementAndGet();
			}
			int read = this.value;
			Thread.onSpinWait();
			this.value = read + 1;
			this.inside.decrementAndGet();
		}

	}

	@Configuration
	@EnableIntegration
	static class TwoInstances {

		private static final LockOptions OPTIONS = LockOptions.defaults().withTtl(Duration.ofMinutes(1));

		@Bean
		TestInstance firstInstance() {
			return new TestInstance();
		}

		@Bean
		TestInstance secondInstance() {
			return new TestInstance();
		}

		@Bean
		LockRegistry firstLocks(@Qualifier("firstInstance") TestInstance instance) {
			return locks(instance);
		}

		@Bean
		LockRegistry secondLocks(@Qualifier("secondInstance") TestInstance instance) {
			return locks(instance);
		}

		private static LockRegistry locks(TestInstance instance) {
			return HAS_DISTRIBUTED_LOCK ? new LockStarterLockRegistry(instance.registry(), "integration:", OPTIONS)
					: new LegacyLockStarterLockRegistry(instance.registry(), "integration:", OPTIONS);
		}

		@Bean
		MessageGroupStore store() {
			return new SimpleMessageStore();
		}

		@Bean
		QueueChannel output() {
			return new QueueChannel();
		}

		@Bean
		AggregatingMessageHandler firstAggregator(MessageGroupStore store, QueueChannel output,
				@Qualifier("firstLocks") LockRegistry locks) {
			return aggregator(store, output, locks);
		}

		@Bean
		AggregatingMessageHandler secondAggregator(MessageGroupStore store, QueueChannel output,
				@Qualifier("secondLocks") LockRegistry locks) {
			return aggregator(store, output, locks);
		}

		private static AggregatingMessageHandler aggregator(MessageGroupStore store, MessageChannel output,
				LockRegistry locks) {
			AggregatingMessageHandler aggregator = new AggregatingMessageHandler(
					new DefaultAggregatingMessageGroupProcessor(), store);
			aggregator.setLockRegistry(locks);
			aggregator.setOutputChannel(output);
			aggregator.setExpireGroupsUponCompletion(true);
			return aggregator;
		}

		@Bean
		Counter counter() {
			return new Counter();
		}

		@Bean
		DirectChannel first() {
			return new DirectChannel();
		}

		@Bean
		DirectChannel second() {
			return new DirectChannel();
		}

		@Bean
		LockRequestHandlerAdvice firstAdvice(@Qualifier("firstLocks") LockRegistry locks) {
			return new LockRequestHandlerAdvice(locks, Message::getPayload);
		}

		@Bean
		LockRequestHandlerAdvice secondAdvice(@Qualifier("secondLocks") LockRegistry locks) {
			return new LockRequestHandlerAdvice(locks, Message::getPayload);
		}

		@Bean
		@ServiceActivator(inputChannel = "first", adviceChain = "firstAdvice")
		MessageHandler firstHandler(Counter counter) {
			return (message) -> counter.increment();
		}

		@Bean
		@ServiceActivator(inputChannel = "second", adviceChain = "secondAdvice")
		MessageHandler secondHandler(Counter counter) {
			return (message) -> counter.increment();
		}

	}

}
