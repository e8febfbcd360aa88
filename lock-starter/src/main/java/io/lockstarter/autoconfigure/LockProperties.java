package io.lockstarter.autoconfigure;

import java.time.Duration;

import io.lockstarter.ReleaseMode;
import io.lockstarter.interceptor.LockValidation;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.core.Ordered;

/**
 * The properties of distributed locks.
 */
@ConfigurationProperties("distributed-lock")
public final class LockProperties {

	// Outside of @Transactional, so that a lock is released after the commit.
	static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 1000;

	/**
	 * Whether locks are set up; without them annotated methods run without a lock.
	 */
	private boolean enabled = true;

	/**
	 * Where locks live.
	 */
	private Store store = Store.REDIS;

	/**
	 * How long a lock outlives a holder that dies.
	 */
	private Duration ttl = Duration.ofSeconds(30);

	/**
	 * How long to wait for a busy lock.
	 */
	private Duration waitTime = Duration.ofSeconds(10);

	/**
	 * What the names of all keys in Redis start with.
	 */
	private String keyPrefix = "lock";

	/**
	 * Part of the ttl that is kept back from a holder's deadline, against clocks that run
	 * at different rates.
	 */
	private double drift = 0.01;

	/**
	 * How long to wait for the answer to one command.
	 */
	private Duration commandTimeout = Duration.ofSeconds(2);

	/**
	 * How long commands wait for the first connection to Redis before they fail.
	 */
	private Duration connectTimeout = Duration.ofSeconds(10);

	/**
	 * How often a waiting instance asks again by itself, should a signal be lost.
	 */
	private Duration pollInterval = Duration.ofSeconds(5);

	/**
	 * How long an instance keeps a lock for its own waiters while other instances wait.
	 */
	private Duration slice = Duration.ofMillis(10);

	/**
	 * How long holders may go on after the shutdown began.
	 */
	private Duration shutdownGrace = Duration.ofSeconds(10);

	/**
	 * Whether whoever releases a lock waits until the store has confirmed it.
	 */
	private ReleaseMode release = ReleaseMode.CONFIRMED;

	/**
	 * How long the last fencing token of a key is remembered after its last use.
	 */
	private Duration fenceRetention = Duration.ofHours(1);

	/**
	 * Name of the Executor bean on which asynchronous methods run when they have their
	 * lock.
	 */
	private String executor = "applicationTaskExecutor";

	/**
	 * Whether web requests are answered with 409 if a lock stayed busy, and with 503 if
	 * Redis was unavailable.
	 */
	private boolean problemDetails = false;

	/**
	 * Order of the lock among the advisors of a bean; a smaller one is further outside.
	 */
	private int order = DEFAULT_ORDER;

	/**
	 * What becomes of mistakes in annotations.
	 */
	private LockValidation validation = LockValidation.FAIL;

	public boolean isEnabled() {
		return this.enabled;
	}

	public void setEnabled(boolean enabled) {
		this.enabled = enabled;
	}

	public Store getStore() {
		return this.store;
	}

	public void setStore(Store store) {
		this.store = store;
	}

	public Duration getTtl() {
		return this.ttl;
	}

	public void setTtl(Duration ttl) {
		this.ttl = ttl;
	}

	public Duration getWaitTime() {
		return this.waitTime;
	}

	public void setWaitTime(Duration waitTime) {
		this.waitTime = waitTime;
	}

	public String getKeyPrefix() {
		return this.keyPrefix;
	}

	public void setKeyPrefix(String keyPrefix) {
		this.keyPrefix = keyPrefix;
	}

	public double getDrift() {
		return this.drift;
	}

	public void setDrift(double drift) {
		this.drift = drift;
	}

	public Duration getCommandTimeout() {
		return this.commandTimeout;
	}

	public void setCommandTimeout(Duration commandTimeout) {
		this.commandTimeout = commandTimeout;
	}

	public Duration getConnectTimeout() {
		return this.connectTimeout;
	}

	public void setConnectTimeout(Duration connectTimeout) {
		this.connectTimeout = connectTimeout;
	}

	public Duration getPollInterval() {
		return this.pollInterval;
	}

	public void setPollInterval(Duration pollInterval) {
		this.pollInterval = pollInterval;
	}

	public Duration getSlice() {
		return this.slice;
	}

	public void setSlice(Duration slice) {
		this.slice = slice;
	}

	public Duration getShutdownGrace() {
		return this.shutdownGrace;
	}

	public void setShutdownGrace(Duration shutdownGrace) {
		this.shutdownGrace = shutdownGrace;
	}

	public ReleaseMode getRelease() {
		return this.release;
	}

	public void setRelease(ReleaseMode release) {
		this.release = release;
	}

	public Duration getFenceRetention() {
		return this.fenceRetention;
	}

	public void setFenceRetention(Duration fenceRetention) {
		this.fenceRetention = fenceRetention;
	}

	public String getExecutor() {
		return this.executor;
	}

	public void setExecutor(String executor) {
		this.executor = executor;
	}

	public boolean isProblemDetails() {
		return this.problemDetails;
	}

	public void setProblemDetails(boolean problemDetails) {
		this.problemDetails = problemDetails;
	}

	public int getOrder() {
		return this.order;
	}

	public void setOrder(int order) {
		this.order = order;
	}

	public LockValidation getValidation() {
		return this.validation;
	}

	public void setValidation(LockValidation validation) {
		this.validation = validation;
	}

	/**
	 * Where locks can live.
	 */
	public enum Store {

		/**
		 * In Redis, shared by all instances.
		 */
		REDIS,

		/**
		 * In the memory of this JVM, for tests and development.
		 */
		MEMORY

	}

}
