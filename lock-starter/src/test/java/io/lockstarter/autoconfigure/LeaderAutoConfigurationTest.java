// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.lockstarter.Lease;
import io.lockstarter.LeaseInfo;
import io.lockstarter.LockInspector;
import io.lockstarter.LockLostException;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockOptions;
import io.lockstarter.LockScope;
import io.lockstarter.LockSetupException;
import io.lockstarter.LossCause;
import io.lockstarter.annotation.LeaderOnly;
import io.lockstarter.annotation.OnBusy;
import io.lockstarter.annotation.OnLost;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.RegistrySettings;
import io.lockstarter.leader.LeaderElection;
import io.lockstarter.leader.LeaderElections;
import io.lockstarter.leader.LeadershipGrantedEvent;
import io.lockstarter.leader.LeadershipListener;
import io.lockstarter.leader.LeadershipRevokedEvent;
import io.lockstarter.leader.RevocationCause;
import io.lockstarter.memory.MemoryLockStore;
import io.lockstarter.store.LockStore;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.EventListener;
import org.springframework.core.annotation.Order;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Leadership in applications, with the store in memory. Another instance shares it.
 */
class LeaderAutoConfigurationTest {

	private static final String KEY = "leader:reports";

	private final MemoryLockStore store = new MemoryLockStore();

	private final DefaultLockRegistry other = new DefaultLockRegistry("other", this.store,
			RegistrySettings.defaults().withShutdownGrace(Duration.ZERO), List.of());

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LockAutoConfiguration.class,
				LockInterceptorAutoConfiguration.class, LeaderAutoConfiguration.class,
				LockDisabledAutoConfiguration.class, LockMetricsAutoConfiguration.class))
		.withBean(LockStore.class, () -> this.store, (definition) -> definition.setDestroyMethodName(""));

	@AfterEach
	void stop() {
		this.other.stop();
	}

	@Test
	void roleOfThePropertiesIsLedFromTheStartToTheStop() {
		Events events = new Events();
		this.runner.withPropertyValues("distributed-lock.leader.roles=reports,mails", "distributed-lock.leader.ttl=5s")
			.withBean(Events.class, () -> events)
			.run((context) -> {
				LeaderElection reports = context.getBean(LeaderElections.class).of("reports");
				await().until(reports::isLeader);
				await().until(() -> context.getBean(LeaderElections.class).of("mails").isLeader());
				assertThat(reports.lease()).map(LeaseInfo::ttl).contains(Duration.ofSeconds(5));
				assertThat(context.getBean(LockInspector.class).held()).extracting(LockInspector.HeldLock::key)
					.containsExactly("leader:mails", KEY);
			});
		assertThat(events.of("reports")).containsExactly("listener granted reports", "event granted reports",
				"listener revoked reports STOPPED", "event revoked reports STOPPED");
	}

	@Test
	void rolesAreBoundAlthoughTheirBeanIsAskedForBeforePropertiesAre() {
		BeanFactoryPostProcessor early = (
				beans) -> assertThat(beans.getBeansOfType(SmartInitializingSingleton.class, true, false))
					.containsKey("leaderBeans");
		this.runner.withPropertyValues("distributed-lock.leader.roles=reports")
			.withBean("early", BeanFactoryPostProcessor.class, () -> early)
			.run((context) -> await().until(() -> context.getBean(LockInspector.class)
				.held()
				.stream()
				.anyMatch((lock) -> lock.key().equals(KEY))));
	}

	@Test
	void annotatedMethodRunsInTheLeaderAndIsSkippedElsewhere() throws Exception {
		Lease taken = this.other.acquire(KEY, LockOptions.defaults());
		this.runner.withBean(Reports.class).run((context) -> {
			Reports reports = context.getBean(Reports.class);
			await().until(() -> !context.getBean(LockInspector.class).waiting().isEmpty());
			assertThat(reports.token()).isNull();
			assertThat(reports.optional()).isEmpty();
			assertThat(reports.future().get(10, TimeUnit.SECONDS)).isNull();
			assertThat(reports.mono().blockOptional()).isEmpty();
			assertThat(reports.otherwise()).isEqualTo("elsewhere");
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(reports::strict)
				.withMessage("This instance does not lead 'reports': another one does, or none at present")
				.satisfies((busy) -> assertThat(busy.key()).isEqualTo(KEY));
			taken.close();
			LeaderElection election = context.getBean(LeaderElections.class).of("reports");
			await().until(election::isLeader);
			long token = election.lease().orElseThrow().fencingToken();
			assertThat(token).isGreaterThan(taken.fencingToken());
			assertThat(reports.token()).isEqualTo(token);
			assertThat(reports.optional()).contains(token);
			assertThat(reports.future().get(10, TimeUnit.SECONDS)).isEqualTo(token);
			assertThat(reports.mono().block()).isEqualTo(token);
			assertThat(reports.otherwise()).isEqualTo("leader");
			assertThat(reports.strict()).isOne();
			assertThat(election.isLeader()).isTrue();
		});
	}

	@Test
	void roleIsReleasedWhenTheMethodHasEnded() {
		CountDownLatch running = new CountDownLatch(1);
		CountDownLatch end = new CountDownLatch(1);
		this.runner.withBean(Reports.class).run((context) -> {
			Reports reports = context.getBean(Reports.class);
			LeaderElection election = context.getBean(LeaderElections.class).of("reports");
			await().until(election::isLeader);
			CompletableFuture<Boolean> valid = CompletableFuture.supplyAsync(() -> reports.hold(running, end));
			assertThat(running.await(10, TimeUnit.SECONDS)).isTrue();
			election.yieldLeadership();
			assertThat(this.other.tryAcquire(KEY)).isEmpty();
			assertThat(reports.token()).isNull();
			end.countDown();
			assertThat(valid.get(10, TimeUnit.SECONDS)).isTrue();
			this.other.acquire(KEY).close();
		});
	}

	@Test
	void lossInterruptsTheMethodAndRevokes() {
		Events events = new Events();
		// A leader finds out when it renews.
		ApplicationContextRunner leader = this.runner.withPropertyValues("distributed-lock.leader.ttl=3s");
		leader.withBean(Reports.class).withBean(Events.class, () -> events).run((context) -> {
			Reports reports = context.getBean(Reports.class);
			LeaderElection election = context.getBean(LeaderElections.class).of("reports");
			await().until(election::isLeader);
			CountDownLatch running = new CountDownLatch(1);
			CompletableFuture<String> call = CompletableFuture.supplyAsync(() -> reports.interrupted(running));
			assertThat(running.await(10, TimeUnit.SECONDS)).isTrue();
			assertThat(this.other.forceRelease(KEY, null).get(10, TimeUnit.SECONDS)).isTrue();
			assertThat(call).failsWithin(Duration.ofSeconds(10))
				.withThrowableThat()
				.havingRootCause()
				.isInstanceOfSatisfying(LockLostException.class,
						(lost) -> assertThat(lost.lossCause()).isEqualTo(LossCause.FORCED));
			await().until(() -> events.of("reports").size() == 6);
			assertThat(events.of("reports")).containsExactly("listener granted reports", "event granted reports",
					"listener revoked reports FORCED", "event revoked reports FORCED", "listener granted reports",
					"event granted reports");
		});
	}

	@Test
	void anotherApplicationLeadsAsSoonAsTheLeaderStops() {
		ApplicationContextRunner candidate = this.runner.withPropertyValues("distributed-lock.leader.roles=reports",
				"distributed-lock.poll-interval=1m");
		candidate.run((first) -> {
			await().until(first.getBean(LeaderElections.class).of("reports")::isLeader);
			candidate.run((second) -> {
				LeaderElection election = second.getBean(LeaderElections.class).of("reports");
				await().until(() -> !second.getBean(LockInspector.class).waiting().isEmpty());
				assertThat(election.isLeader()).isFalse();
				first.close();
				await().until(election::isLeader);
			});
		});
	}

	@Test
	void restartedContextLeadsAgain() {
		this.runner.withPropertyValues("distributed-lock.leader.roles=reports").run((context) -> {
			LeaderElection election = context.getBean(LeaderElections.class).of("reports");
			ConfigurableApplicationContext restarted = context.getSourceApplicationContext();
			for (int i = 0; i < 3; i++) {
				await().until(election::isLeader);
				restarted.stop();
				assertThat(election.isLeader()).isFalse();
				restarted.start();
			}
			await().until(election::isLeader);
		});
	}

	@Test
	void electionThatIsABeanIsThatOfItsRole() {
		Events events = new Events();
		this.runner
			.withBean("election", LeaderElection.class,
					() -> LeaderElection.of(this.other, "reports", LockOptions.defaults().withName("mine")))
			.withBean(Events.class, () -> events)
			.withBean(Reports.class)
			.withBean(SimpleMeterRegistry.class)
			.run((context) -> {
				LeaderElection election = context.getBean(LeaderElection.class);
				assertThat(context.getBean(LeaderElections.class).of("reports")).isSameAs(election);
				await().until(election::isLeader);
				await().until(() -> events.of("reports").size() == 2);
				assertThat(context.getBean(Reports.class).token()).isNotNull();
				assertThat(context.getBean(MeterRegistry.class)
					.get("distributed.lock.leader")
					.tag("role", "reports")
					.gauge()
					.value()).isOne();
				election.stop();
				assertThat(context.getBean(MeterRegistry.class).get("distributed.lock.leader").gauge().value())
					.isZero();
			});
	}

	@Test
	void contextsOfAnApplicationHaveOneElectionOfARole() {
		Events above = new Events();
		Events below = new Events();
		ApplicationContextRunner child = this.runner.withBean(Reports.class)
			.withBean("below", Events.class, () -> below)
			.withBean("election", LeaderElection.class, () -> LeaderElection.of(this.other, "of the child"))
			.withPropertyValues("distributed-lock.leader.roles=mails")
			.withBean(SimpleMeterRegistry.class);
		this.runner.withBean("above", Events.class, () -> above)
			.withPropertyValues("distributed-lock.leader.roles=reports")
			.run((parent) -> {
				LeaderElections elections = parent.getBean(LeaderElections.class);
				await().until(elections.of("reports")::isLeader);
				for (int i = 0; i < 2; i++) {
					child.withParent(parent).run((context) -> {
						assertThat(context.getBean(LeaderElections.class)).isSameAs(elections);
						assertThat(context.getBean(Reports.class).token()).isNotNull();
						await().until(elections.of("mails")::isLeader);
						await().until(elections.of("of the child")::isLeader);
						await().until(() -> below.events.size() == 6);
					});
					await().until(() -> above.of("of the child").size() % 4 == 0);
					assertThat(below.of("reports")).containsExactly("listener granted reports",
							"event granted reports");
					assertThat(below.of("mails")).containsExactly("listener granted mails", "event granted mails");
					below.events.clear();
				}
			});
		assertThat(below.of("reports")).as("the context is closed").isEmpty();
		assertThat(above.of("reports")).containsExactly("listener granted reports", "event granted reports",
				"listener revoked reports STOPPED", "event revoked reports STOPPED");
		assertThat(above.of("mails")).containsExactly("listener granted mails", "event granted mails",
				"listener revoked mails STOPPED", "event revoked mails STOPPED");
	}

	@Test
	void scheduledMethodRunsOnlyInTheLeader() throws Exception {
		Lease taken = this.other.acquire(KEY, LockOptions.defaults());
		this.runner.withUserConfiguration(Schedule.class).run((context) -> {
			Schedule schedule = context.getBean(Schedule.class);
			await().until(() -> schedule.called().size() > 2);
			assertThat(schedule.led()).isEmpty();
			taken.close();
			await().until(() -> schedule.led().size() > 2);
		});
	}

	@ParameterizedTest
	@ValueSource(classes = { PrimitiveResult.class, Expression.class, Blank.class, Control.class, TooLong.class,
			PrivateMethod.class })
	void mistakeFailsTheStartWithTheNameOfTheMethod(Class<?> mistaken) {
		this.runner.withBean("mistaken", mistaken)
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.hasMessageContaining("'mistaken'")
				.rootCause()
				.isInstanceOf(LockSetupException.class)
				.hasMessageContaining("@LeaderOnly on " + mistaken.getName() + ".run(): "));
	}

	@Test
	void secondElectionOfARoleFailsTheStart() {
		this.runner.withBean("a", LeaderElection.class, () -> LeaderElection.of(this.other, "reports"))
			.withBean("b", LeaderElection.class, () -> LeaderElection.of(this.other, "reports"))
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(LockSetupException.class)
				.hasMessageContaining("There are two elections of the leader of 'reports'"));
	}

	@Test
	void badPropertiesFailTheStart() {
		this.runner.withPropertyValues("distributed-lock.leader.ttl=1ms")
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("Property 'distributed-lock.leader.ttl' cannot be used"));
		this.runner.withPropertyValues("distributed-lock.leader.roles[0]=")
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(LockSetupException.class)
				.hasMessageContaining("Property 'distributed-lock.leader.roles' has a role that cannot be used")
				.hasMessageContaining("must not be blank"));
		for (String role : List.of("re\u0007ports", "re\u2028ports", "x".repeat(300))) {
			this.runner.withPropertyValues("distributed-lock.leader.roles[0]=" + role)
				.run((context) -> assertThat(context).getFailure()
					.isInstanceOf(LockSetupException.class)
					.hasMessageContaining("Property 'distributed-lock.leader.roles' has a role that cannot be used"));
		}
	}

	@Test
	void nobodyLeadsIfLocksAreDisabledAndMethodsRun() {
		this.runner.withPropertyValues("distributed-lock.enabled=false").withBean(Ping.class).run((context) -> {
			assertThat(context).doesNotHaveBean(LeaderElections.class);
			assertThat(context.getBean(Ping.class).ping()).isEqualTo("pong");
		});
	}

	@Test
	void electionsStartAfterWebServersAndSchedulersAndStopBeforeThem() {
		this.runner.run((context) -> assertThat(context.getBean(LeaderElections.class).getPhase())
			.isGreaterThan(new ThreadPoolTaskScheduler().getPhase())
			.isGreaterThan(SmartLifecycle.DEFAULT_PHASE - 1024)
			.isGreaterThan(LockRegistryLifecycle.PHASE));
	}

	static class Reports {

		@LeaderOnly("reports")
		public Long token() {
			return LockScope.current().fencingToken();
		}

		@LeaderOnly("${role:reports}")
		public Optional<Long> optional() {
			return Optional.of(LockScope.current().fencingToken());
		}

		@LeaderOnly("reports")
		public CompletableFuture<Long> future() {
			return CompletableFuture.completedFuture(LockScope.current().fencingToken());
		}

		@LeaderOnly("reports")
		public Mono<Long> mono() {
			return Mono.deferContextual((context) -> Mono.just(context.get(LockScope.class).fencingToken()));
		}

		@LeaderOnly(value = "reports", fallback = "elsewhere")
		public String otherwise() {
			return "leader";
		}

		String elsewhere() {
			return "elsewhere";
		}

		@LeaderOnly(value = "reports", onBusy = OnBusy.THROW)
		public int strict() {
			return 1;
		}

		@LeaderOnly("reports")
		public Boolean hold(CountDownLatch running, CountDownLatch end) {
			running.countDown();
			try {
				return end.await(10, TimeUnit.SECONDS) && LockScope.current().isValid();
			}
			catch (InterruptedException ex) {
				return false;
			}
		}

		@LeaderOnly(value = "reports", onLost = OnLost.INTERRUPT)
		public String interrupted(CountDownLatch running) {
			running.countDown();
			try {
				new CountDownLatch(1).await();
				return "never";
			}
			catch (InterruptedException ex) {
				return "interrupted";
			}
		}

	}

	static class Ping {

		@LeaderOnly("reports")
		public String ping() {
			return "pong";
		}

	}

	@EnableScheduling
	static class Schedule {

		private final Queue<Long> called = new ConcurrentLinkedQueue<>();

		private final Queue<Long> led = new ConcurrentLinkedQueue<>();

		Queue<Long> called() {
			return this.called;
		}

		Queue<Long> led() {
			return this.led;
		}

		@Scheduled(fixedDelay = 5)
		public void call() {
			this.called.add(1L);
		}

		@Scheduled(fixedDelay = 5)
		@LeaderOnly("reports")
		public void lead() {
			this.led.add(LockScope.current().fencingToken());
		}

	}

	static class PrimitiveResult {

		@LeaderOnly("reports")
		public int run() {
			return 1;
		}

	}

	static class Expression {

		@LeaderOnly("reports:#{1}")
		public void run() {
		}

	}

	static class Blank {

		@LeaderOnly("${none:}")
		public void run() {
		}

	}

	static class PrivateMethod {

		@LeaderOnly("reports")
		@SuppressWarnings("UnusedMethod") // that is the mistake
		private void run() {
		}

	}

	static class Control {

		@LeaderOnly("re\u0007ports")
		public void run() {
		}

	}

	static class TooLong {

		@LeaderOnly("${too.long:" + LONG + "}")
		public void run() {
		}

		private static final String TEN = "reports...";

		private static final String FIFTY = TEN + TEN + TEN + TEN + TEN;

		private static final String LONG = FIFTY + FIFTY + FIFTY + FIFTY + FIFTY;

	}

	@Order(0)
	static class Events implements LeadershipListener {

		private final Queue<String> events = new ConcurrentLinkedQueue<>();

		/**
		 * Return what was told of a role.
		 */
		List<String> of(String role) {
			return this.events.stream().filter((event) -> event.contains(" " + role)).toList();
		}

		@Override
		public void onGranted(String role, LeaseInfo lease) {
			this.events.add("listener granted " + role);
		}

		@Override
		public void onRevoked(String role, LeaseInfo lease, RevocationCause cause) {
			this.events.add("listener revoked " + role + " " + cause);
		}

		@EventListener
		void granted(LeadershipGrantedEvent event) {
			this.events.add("event granted " + event.role());
		}

		@EventListener
		void revoked(LeadershipRevokedEvent event) {
			this.events.add("event revoked " + event.role() + " " + event.cause());
		}

	}

}
