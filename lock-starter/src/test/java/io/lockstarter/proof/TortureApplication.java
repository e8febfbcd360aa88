// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.lockstarter.Lease;
import io.lockstarter.LeaseInfo;
import io.lockstarter.LeasedLock;
import io.lockstarter.LeasedReadWriteLock;
import io.lockstarter.LockException;
import io.lockstarter.LockMode;
import io.lockstarter.LockListener;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockScope;
import io.lockstarter.LockStoreException;
import io.lockstarter.LossCause;
import io.lockstarter.Permits;
import io.lockstarter.ReleaseMode;
import io.lockstarter.annotation.DistributedLock;

/**
 * One of the JVMs of a {@link TortureRun}, {@link SentinelTortureRun},
 * {@link ClusterTortureRun} or {@link QuorumTortureRun}: a Spring application whose
 * threads use locks in all ways, and which tells the parent at once what it is told of
 * them. What was told is known even if this JVM is killed in the next moment.
 */
final class TortureApplication {

	static final int WORKERS = 9;

	/**
	 * At the end of each line, as a killed JVM may leave half of one.
	 */
	static final String END = " .";

	/**
	 * What tells a lease from others of the same token if there are none.
	 */
	static final String EXCLUSIVE = "-";

	/**
	 * Of how many acquisitions one shares its key, where keys can be shared.
	 */
	private static final int SHARES = 3;

	/**
	 * Of how many acquisitions one is of a permit, where threads may block or be called
	 * back.
	 */
	private static final int PERMITS = 5;

	private final OutputStream events;

	private final LockRegistry registry;

	private final Annotated annotated;

	private final Setup setup;

	private final CountDownLatch ended = new CountDownLatch(WORKERS);

	// for sections, which take longer than the threads of a registry should be kept busy;
	// started ahead, as no thread can be started at times
	private final ThreadPoolExecutor sections = new ThreadPoolExecutor(WORKERS / 3, WORKERS / 3, 0, TimeUnit.SECONDS,
			new LinkedBlockingQueue<>(), (task) -> {
				Thread thread = new Thread(task, "asynchronous");
				thread.setDaemon(true);
				return thread;
			});

	private final AtomicLong shared = new AtomicLong();

	private volatile boolean running = true;

	private TortureApplication(OutputStream events, LockRegistry registry, Annotated annotated, Setup setup) {
		this.events = events;
		this.registry = registry;
		this.annotated = annotated;
		this.setup = setup;
	}

	/**
	 * Use locks until the parent says {@code finish}, and memory when it says
	 * {@code press}, followed by for how many ms.
	 * @param args properties that say where locks are, port for events, URL of the
	 * database, seed, number of keys, ttl in ms, how many times shorter ordinary sections
	 * are, and rarer long ones, whether keys can be shared
	 */
	public static void main(String... args) throws Exception {
		// Spring Boot wants its own logging
		System.clearProperty("slf4j.provider");
		var commands = JvmProcess.listenToParent();
		Setup setup = new Setup(args[2], Long.parseLong(args[3]), new TortureKeys(Integer.parseInt(args[4])),
				Duration.ofMillis(Long.parseLong(args[5])), Integer.parseInt(args[6]), Boolean.parseBoolean(args[7]));
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Configured.class)
			.web(WebApplicationType.NONE)
			.properties("spring.main.banner-mode=off", "logging.level.root=off",
					"distributed-lock.ttl=" + args[5] + "ms", "distributed-lock.command-timeout=300ms",
					"distributed-lock.poll-interval=1s", "distributed-lock.shutdown-grace=5s")
			.run(args[0].split(" "));
				Socket socket = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(args[1]))) {
			socket.setTcpNoDelay(true);
			TortureApplication application = new TortureApplication(socket.getOutputStream(),
					context.getBean(LockRegistry.class), context.getBean(Annotated.class), setup);
			context.getBean(Losses.class).events = application::tell;
			application.start();
			System.out.println("ready");
			for (String command = commands.take(); !command.equals("finish"); command = commands.take()) {
				press(Long.parseLong(command.substring("press ".length())));
			}
			int usable = application.finish();
			System.out.println("usable " + usable);
		}
	}

	/**
	 * Leave so little memory to others for a while that garbage is collected all the
	 * time.
	 */
	private static void press(long millis) {
		long end = System.nanoTime() + Duration.ofMillis(millis).toNanos();
		Runtime runtime = Runtime.getRuntime();
		List<byte[]> ballast = new ArrayList<>();
		while (runtime.totalMemory() - runtime.freeMemory() < runtime.maxMemory() * 3 / 4) {
			ballast.add(new byte[1 << 18]);
		}
		for (int i = 0; System.nanoTime() < end && !ballast.isEmpty(); i++) {
			ballast.set(i % ballast.size(), new byte[1 << 18]);
		}
	}

	private void start() throws SQLException {
		this.sections.prestartAllCoreThreads();
		Random seeds = new Random(this.setup.seed());
		for (int i = 0; i < WORKERS; i++) {
			Worker worker = new Worker(seeds.nextLong(), DriverManager.getConnection(this.setup.database()));
			switch (i % 3) {
				case 0 -> new Thread(() -> repeat(worker, this::block), "blocking").start();
				case 1 -> new Thread(() -> repeat(worker, this::callAnnotated), "annotated").start();
				default -> acquireAsync(worker);
			}
		}
	}

	/**
	 * Stop, and look whether all keys can still be acquired.
	 * @return how many can, and one more if a permit can
	 */
	private int finish() throws InterruptedException {
		this.running = false;
		if (!this.ended.await(30, TimeUnit.SECONDS)) {
			return -1;
		}
		int usable = 0;
		for (String key : this.setup.keys().all()) {
			usable += isUsable(() -> this.registry.call(key, LockOptions.defaults(), (scope) -> true)) ? 1 : 0;
		}
		usable += isUsable(this::usePermit) ? 1 : 0;
		return usable;
	}

	private boolean usePermit() throws InterruptedException {
		try (Lease permit = permits(LockOptions.defaults()).acquire()) {
			return permit.isValid();
		}
	}

	private static boolean isUsable(Use use) throws InterruptedException {
		// An attempt to connect that nobody answers may still be under way.
		for (long begin = System.nanoTime(); System.nanoTime() - begin < 15_000_000_000L;) {
			try {
				return use.succeeds();
			}
			catch (LockException ex) {
				LockSupport.parkNanos(200_000_000);
			}
		}
		return false;
	}

	private void repeat(Worker worker, Attempt attempt) {
		while (this.running) {
			try {
				attempt.run(worker, worker.key());
			}
			catch (LockException | InterruptedException ex) {
				failed(worker, ex);
			}
		}
		this.ended.countDown();
	}

	private void block(Worker worker, String key) throws InterruptedException {
		LockOptions options = worker.options();
		long since = System.nanoTime();
		if (worker.random.nextInt(PERMITS) == 0) {
			try (Lease permit = permits(options).acquire()) {
				hold(permit, LockMode.EXCLUSIVE, worker, since);
			}
			return;
		}
		if (options.mode() == LockMode.EXCLUSIVE && this.setup.shareable() && worker.random.nextInt(4) == 0) {
			downgrade(this.registry.obtainReadWrite(key, options), worker, since);
			return;
		}
		switch (worker.random.nextInt(3)) {
			case 0 -> {
				LeasedLock lock = this.registry.obtain(key, options);
				if (lock.tryLock(worker.waitTime().toNanos(), TimeUnit.NANOSECONDS)) {
					try {
						hold(lock.lease(), options.mode(), worker, since);
					}
					finally {
						lock.unlock();
					}
				}
			}
			case 1 -> {
				try (Lease lease = this.registry.acquire(key, options)) {
					hold(lease, options.mode(), worker, since);
				}
			}
			default -> this.registry.call(key, options, (scope) -> {
				hold(LockScope.current().lease(key), options.mode(), worker, since);
				return true;
			});
		}
	}

	private Permits permits(LockOptions options) {
		return this.registry.permits(TortureKeys.PERMITS, TortureKeys.LIMIT, options.withMode(LockMode.EXCLUSIVE));
	}

	/**
	 * Hold a key alone for a while, and share it for another.
	 */
	private void downgrade(LeasedReadWriteLock lock, Worker worker, long since) throws InterruptedException {
		if (!lock.writeLock().tryLock(worker.waitTime().toNanos(), TimeUnit.NANOSECONDS)) {
			return;
		}
		Lease lease = lock.writeLock().lease();
		AtomicLong deadline = new AtomicLong();
		boolean shared = false;
		try {
			hold(lease, LockMode.EXCLUSIVE, worker, since, deadline);
			lock.readLock().lock();
			shared = true;
			lock.writeLock().unlock();
			goOnSharing(lease, worker, deadline);
		}
		finally {
			(shared ? lock.readLock() : lock.writeLock()).unlock();
		}
	}

	private void callAnnotated(Worker worker, String key) {
		long since = System.nanoTime();
		LockMode mode = worker.mode();
		Runnable section = () -> hold(LockScope.current().lease(key), mode, worker, since);
		if (mode == LockMode.SHARED) {
			this.annotated.share(key, section);
		}
		else {
			this.annotated.run(key, section);
		}
	}

	@SuppressWarnings("FutureReturnValueIgnored")
	private void acquireAsync(Worker worker) {
		long since = System.nanoTime();
		LockOptions options = worker.options();
		boolean limited = worker.random.nextInt(PERMITS) == 0;
		CompletableFuture<Lease> request = limited ? permits(options).acquireAsync()
				: this.registry.acquireAsync(worker.key(), options);
		request.whenCompleteAsync((lease, failure) -> {
			if (lease != null) {
				hold(lease, limited ? LockMode.EXCLUSIVE : options.mode(), worker, since);
				lease.releaseAsync();
			}
			else {
				failed(worker, failure);
			}
			if (this.running) {
				acquireAsync(worker);
			}
			else {
				this.ended.countDown();
			}
		}, this.sections);
	}

	private void failed(Worker worker, Throwable failure) {
		if (failure instanceof LockStoreException) {
			tell("U");
			LockSupport.parkNanos(worker.random.nextInt(20_000_000));
		}
		else if (failure instanceof LockNotAcquiredException) {
			tell("B");
		}
		else if (!(failure instanceof LockException)) {
			tell("X " + failure);
		}
	}

	private void hold(Lease lease, LockMode mode, Worker worker, long since) {
		hold(lease, mode, worker, since, new AtomicLong());
	}

	/**
	 * Hold a lease for a while, longer than its ttl at times, and tell what it says.
	 * @param deadline what is set to the instant up to which it was said to be held
	 */
	private void hold(Lease lease, LockMode mode, Worker worker, long since, AtomicLong deadline) {
		long begin = System.nanoTime();
		long remaining = lease.remaining().toNanos();
		if (remaining == 0) {
			// lost before anybody could look at it
			tell("N");
			return;
		}
		String lock = lease.key() + " " + lease.fencingToken() + " " + id(mode);
		deadline.set(begin + remaining);
		tell("G %s %d %d %s %d".formatted(lock, begin, deadline.get(), lease.ownerId(), since));
		// what the ttl has over the time that counts as held
		long margin = this.setup.ttl().toNanos() / 100 + 2_000_000;
		lease.onLost((cause) -> {
			long told = System.nanoTime();
			tell("S %s %d %d".formatted(cause, told,
					(cause == LossCause.EXPIRED) ? deadline.get() + margin - told : 0));
		});
		FencedTable table = (mode == LockMode.EXCLUSIVE && worker.random.nextInt(4) == 0) ? worker.table : null;
		try {
			int units = (table != null) ? claim(table, lease) : 0;
			hold(lease, lock, begin + worker.length(this.setup.ttl()), deadline);
			if (units > 0) {
				tell(table.write(lease.key(), units + 1, lease.fencingToken()) ? "W " + lease.key() : "R");
			}
		}
		catch (SQLException ex) {
			tell("X " + ex);
		}
		tell("D %s %d".formatted(lock, System.nanoTime()));
	}

	/**
	 * Share what was held alone up to now.
	 * @param deadline up to when it was said to be held, to be moved
	 */
	private void goOnSharing(Lease lease, Worker worker, AtomicLong deadline) {
		long begin = System.nanoTime();
		long remaining = lease.remaining().toNanos();
		if (remaining == 0) {
			return;
		}
		String lock = lease.key() + " " + lease.fencingToken() + " " + id(LockMode.SHARED);
		tell("C %s %d %d %s".formatted(lock, begin, begin + remaining, lease.ownerId()));
		hold(lease, lock, begin + worker.length(this.setup.ttl()), deadline);
		tell("D %s %d".formatted(lock, System.nanoTime()));
	}

	private void hold(Lease lease, String lock, long until, AtomicLong deadline) {
		long now = System.nanoTime();
		do {
			long remaining = lease.remaining().toNanos();
			if (remaining > 0) {
				deadline.accumulateAndGet(now + remaining, Math::max);
				tell("H %s %d %d %s".formatted(lock, now, now + remaining, lease.ownerId()));
			}
			else {
				tell("L %s %d".formatted(lock, System.nanoTime()));
			}
			LockSupport.parkNanos(Math.min(2_000_000, until - now));
			now = System.nanoTime();
		}
		while (now < until);
	}

	/**
	 * Begin to write.
	 * @return what was read; 0 if somebody with a newer lock was there
	 */
	private int claim(FencedTable table, Lease lease) throws SQLException {
		if (table.claim(lease.key(), lease.fencingToken())) {
			return table.units(lease.key());
		}
		tell("R");
		return 0;
	}

	/**
	 * Return what tells a lease from others of the same token, as those may have that
	 * share a key.
	 */
	private String id(LockMode mode) {
		return (mode == LockMode.SHARED) ? ProcessHandle.current().pid() + "." + this.shared.incrementAndGet()
				: EXCLUSIVE;
	}

	private void tell(String event) {
		try {
			byte[] line = (event + END + "\n").getBytes(StandardCharsets.UTF_8);
			synchronized (this.events) {
				this.events.write(line);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private interface Use {

		boolean succeeds() throws InterruptedException;

	}

	private interface Attempt {

		void run(Worker worker, String key) throws InterruptedException;

	}

	/**
	 * How the parent wants it.
	 *
	 * @param database the URL of the database
	 * @param seed what the choices of workers follow
	 * @param keys what is locked
	 * @param ttl the ttl of all locks
	 * @param haste how many times shorter ordinary sections are, and rarer long ones
	 * @param shareable whether keys can be shared
	 */
	private record Setup(String database, long seed, TortureKeys keys, Duration ttl, int haste, boolean shareable) {

	}

	private final class Worker {

		private final Random random;

		private final FencedTable table;

		Worker(long seed, Connection connection) {
			this.random = new Random(seed);
			this.table = new FencedTable(connection);
		}

		String key() {
			return TortureApplication.this.setup.keys().any(this.random);
		}

		LockOptions options() {
			return LockOptions.defaults()
				.withWaitTime(waitTime())
				.withMode(mode())
				.withRenew(this.random.nextInt(5) > 0)
				.withReleaseMode(this.random.nextBoolean() ? ReleaseMode.ASYNC : ReleaseMode.CONFIRMED);
		}

		LockMode mode() {
			return (TortureApplication.this.setup.shareable() && this.random.nextInt(SHARES) == 0) ? LockMode.SHARED
					: LockMode.EXCLUSIVE;
		}

		Duration waitTime() {
			return switch (this.random.nextInt(5)) {
				case 0 -> Duration.ZERO;
				case 1 -> Duration.ofMillis(this.random.nextInt(100));
				default -> Duration.ofSeconds(4);
			};
		}

		/**
		 * Return how long to hold a lease, in nanoseconds.
		 */
		long length(Duration ttl) {
			return switch (this.random.nextInt(50 * TortureApplication.this.setup.haste())) {
				case 0 -> ttl.toNanos() * 4 / 3;
				case 1, 2, 3 -> this.random.nextInt(300_000_000);
				default -> this.random.nextInt(8_000_000 / TortureApplication.this.setup.haste());
			};
		}

	}

	/**
	 * What an application would have.
	 */
	static class Annotated {

		@DistributedLock(key = "#{#key}", waitTime = "4s")
		public void run(String key, Runnable section) {
			section.run();
		}

		@DistributedLock(key = "#{#key}", mode = LockMode.SHARED, waitTime = "4s")
		public void share(String key, Runnable section) {
			section.run();
		}

	}

	/**
	 * Tells of losses by the owner id, which may stand for one lease after the other.
	 */
	static final class Losses implements LockListener {

		private volatile Consumer<String> events = (event) -> {
		};

		@Override
		public void lost(LeaseInfo lease, LossCause cause) {
			tell(lease);
		}

		@Override
		public void releaseUnconfirmed(LeaseInfo lease, LockStoreException failure) {
			tell(lease);
		}

		private void tell(LeaseInfo lease) {
			this.events.accept("T %s %s %d".formatted(lease.key(), lease.ownerId(), System.nanoTime()));
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Configured {

		@Bean
		Losses losses() {
			return new Losses();
		}

		@Bean
		Annotated annotated() {
			return new Annotated();
		}

	}

}
