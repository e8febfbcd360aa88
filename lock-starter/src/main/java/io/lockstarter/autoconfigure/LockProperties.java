// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.Set;

import io.lockstarter.ReleaseMode;
import io.lockstarter.interceptor.LockValidation;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.core.Ordered;

/**
 * Configuration properties of distributed locks.
 */
// Has setters, as Spring Boot takes ten times as long for a record with so many defaults.
@ConfigurationProperties("distributed-lock")
final class LockProperties {

	// Outside of @Transactional, so that a lock is released after the commit.
	static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 1000;

	/**
	 * Whether to enable locks. Without them, annotated methods run without a lock.
	 */
	private boolean enabled = true;

	/**
	 * Where locks are kept.
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
	 * Prefix of the names of all keys in Redis.
	 */
	private String keyPrefix = "lock";

	/**
	 * Safety margin: the fraction of the ttl that is subtracted from the local deadline
	 * to allow for clock drift.
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
	 * How long one instance may pass a lock among its own threads before another instance
	 * gets it.
	 */
	private Duration slice = Duration.ofMillis(20);

	/**
	 * How long holders may continue after the shutdown began.
	 */
	private Duration shutdownGrace = Duration.ofSeconds(10);

	/**
	 * Whether whoever releases a lock waits until the store has confirmed it.
	 */
	private ReleaseMode releaseMode = ReleaseMode.CONFIRMED;

	/**
	 * How long a lock is renewed at most while its holder lives, unless the lock says
	 * otherwise; no limit if it is not set. Use it against holders that hang.
	 */
	private @Nullable Duration maxHold;

	/**
	 * After how long a wait for a lock, or a hold, is logged with the stack of the
	 * holder's thread. Zero for never.
	 */
	private Duration warnAfter = Duration.ofSeconds(0);

	/**
	 * How long the last fencing token is remembered after its last use.
	 */
	private Duration fenceRetention = Duration.ofHours(1);

	/**
	 * How many replicas of Redis have to acknowledge an acquisition. Zero to not ask
	 * them.
	 */
	private int replicasAcknowledged = 0;

	/**
	 * Name of the Executor bean on which asynchronous methods run when they have acquired
	 * their lock.
	 */
	private String executor = "applicationTaskExecutor";

	/**
	 * Whether acquired, busy and released locks are published as application events, too.
	 */
	private boolean publishAllEvents;

	/**
	 * Whether observations, and so traces, have the keys of locks.
	 */
	private boolean observeKeys;

	/**
	 * Whether web requests are answered with 409 if a lock stayed busy, and with 503 if
	 * Redis was unavailable.
	 */
	private boolean problemDetails;

	/**
	 * Order of the lock among the advisors of a bean; a smaller one is further outside.
	 */
	private int order = DEFAULT_ORDER;

	/**
	 * What becomes of mistakes in annotations.
	 */
	private LockValidation validation = LockValidation.FAIL;

	/**
	 * Address of a Redis for locks alone, in place of the one that the application uses,
	 * such as redis://user:password@example.com:6379/0.
	 */
	private @Nullable String url;

	/**
	 * Name of the SSL bundle for 'distributed-lock.url'.
	 */
	private @Nullable String sslBundle;

	/**
	 * Leaders.
	 */
	private final Leader leader = new Leader();

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

	public @Nullable Duration getMaxHold() {
		return this.maxHold;
	}

	public void setMaxHold(@Nullable Duration maxHold) {
		this.maxHold = maxHold;
	}

	public ReleaseMode getReleaseMode() {
		return this.releaseMode;
	}

	public void setReleaseMode(ReleaseMode releaseMode) {
		this.releaseMode = releaseMode;
	}

	public Duration getWarnAfter() {
		return this.warnAfter;
	}

	public void setWarnAfter(Duration warnAfter) {
		this.warnAfter = warnAfter;
	}

	public Duration getFenceRetention() {
		return this.fenceRetention;
	}

	public void setFenceRetention(Duration fenceRetention) {
		this.fenceRetention = fenceRetention;
	}

	public int getReplicasAcknowledged() {
		return this.replicasAcknowledged;
	}

	public void setReplicasAcknowledged(int replicasAcknowledged) {
		this.replicasAcknowledged = replicasAcknowledged;
	}

	public String getExecutor() {
		return this.executor;
	}

	public void setExecutor(String executor) {
		this.executor = executor;
	}

	public boolean isPublishAllEvents() {
		return this.publishAllEvents;
	}

	public void setPublishAllEvents(boolean publishAllEvents) {
		this.publishAllEvents = publishAllEvents;
	}

	public boolean isObserveKeys() {
		return this.observeKeys;
	}

	public void setObserveKeys(boolean observeKeys) {
		this.observeKeys = observeKeys;
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

	public @Nullable String getUrl() {
		return this.url;
	}

	public void setUrl(@Nullable String url) {
		this.url = url;
	}

	public @Nullable String getSslBundle() {
		return this.sslBundle;
	}

	public void setSslBundle(@Nullable String sslBundle) {
		this.sslBundle = sslBundle;
	}

	public Leader getLeader() {
		return this.leader;
	}

	/**
	 * Leaders.
	 */
	static final class Leader {

		/**
		 * Roles for which this instance is a candidate, in addition to those
		 * of @LeaderOnly methods.
		 */
		private Set<String> roles = Set.of();

		/**
		 * How long nobody leads after a leader died; the ttl of locks if it is not set.
		 */
		private @Nullable Duration ttl;

		public Set<String> getRoles() {
			return this.roles;
		}

		public void setRoles(Set<String> roles) {
			this.roles = roles;
		}

		public @Nullable Duration getTtl() {
			return this.ttl;
		}

		public void setTtl(@Nullable Duration ttl) {
			this.ttl = ttl;
		}

	}

	/**
	 * Where locks can be kept.
	 */
	enum Store {

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
