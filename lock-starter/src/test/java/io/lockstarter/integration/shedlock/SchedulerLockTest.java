// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.integration.shedlock;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.junit.jupiter.api.Test;

import io.lockstarter.LockRegistry;
import io.lockstarter.autoconfigure.LockAutoConfiguration;
import io.lockstarter.integration.TestInstance;
import io.lockstarter.testkit.RedisServers;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Methods with the annotations of ShedLock, in two applications on one Redis.
 */
class SchedulerLockTest {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final ApplicationContextRunner application = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class, TaskSchedulingAutoConfiguration.class))
		.withBean(RedisConnectionFactory.class, () -> RedisServers.shared().connectionFactory())
		.withUserConfiguration(Jobs.class);

	private final ApplicationContextRunner named = this.application
		.withPropertyValues("job.name=" + TestInstance.newKey());

	@Test
	void aJobRunsOnceWithinTheTimeThatItsLockIsHeldAtLeast() {
		this.named.run((first) -> this.named.run((second) -> {
			Counts one = first.getBean(Counts.class);
			Counts other = second.getBean(Counts.class);
			await().atMost(PATIENCE).until(() -> one.rounds.get() > 5 && other.rounds.get() > 5);
			assertThat(one.ticks.get() + other.ticks.get()).isOne();
		}));
	}

	@Test
	void aJobRunsAgainOnceItsLockIsReleased() {
		this.named.run((first) -> this.named.run((second) -> {
			first.getBean(Job.class).callOften();
			second.getBean(Job.class).callOften();
			first.getBean(Job.class).callOften();
			assertThat(first.getBean(Counts.class).often).hasValue(2);
			assertThat(second.getBean(Counts.class).often).hasValue(1);
		}));
	}

	@Configuration
	@EnableScheduling
	@EnableSchedulerLock(defaultLockAtMostFor = "PT1M")
	static class Jobs {

		@Bean
		LockProvider lockProvider(LockRegistry registry) {
			return new LockStarterLockProvider(registry);
		}

		@Bean
		Counts counts() {
			return new Counts();
		}

		@Bean
		Job job(Counts counts) {
			return new Job(counts);
		}

		@Bean
		Rounds rounds(Job job, Counts counts) {
			return new Rounds(job, counts);
		}

	}

	/**
	 * Calls the job again and again, locked or not.
	 */
	static class Rounds {

		private final Job job;

		private final Counts counts;

		Rounds(Job job, Counts counts) {
			this.job = job;
			this.counts = counts;
		}

		@Scheduled(fixedDelay = 20)
		void round() {
			this.job.tick();
			this.counts.rounds.incrementAndGet();
		}

	}

	static class Job {

		private final Counts counts;

		Job(Counts counts) {
			this.counts = counts;
		}

		@SchedulerLock(name = "${job.name}-tick", lockAtMostFor = "PT15M", lockAtLeastFor = "PT10M")
		public void tick() {
			this.counts.ticks.incrementAndGet();
		}

		@SchedulerLock(name = "${job.name}-often")
		public void callOften() {
			this.counts.often.incrementAndGet();
		}

	}

	static class Counts {

		private final AtomicInteger rounds = new AtomicInteger();

		private final AtomicInteger ticks = new AtomicInteger();

		private final AtomicInteger often = new AtomicInteger();

	}

}
