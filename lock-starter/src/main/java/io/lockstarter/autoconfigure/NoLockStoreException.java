package io.lockstarter.autoconfigure;

/**
 * There is nowhere for the locks to live.
 */
final class NoLockStoreException extends IllegalStateException {

	private static final long serialVersionUID = 1L;

	private static final String IN_MEMORY = "set 'distributed-lock.store=memory' for locks within this JVM only";

	private final String problem;

	private final String remedy;

	private NoLockStoreException(String problem, String remedy) {
		super(problem + ". " + remedy + ".");
		this.problem = problem;
		this.remedy = remedy;
	}

	static NoLockStoreException lettuceMissing() {
		return new NoLockStoreException(
				"Distributed locks have no store: Spring Data Redis with Lettuce is not on the class path",
				"Add spring-boot-starter-data-redis, define a LockStore bean, or " + IN_MEMORY);
	}

	static NoLockStoreException noConnectionFactory() {
		return new NoLockStoreException("Distributed locks have no store: there is no RedisConnectionFactory bean",
				"Set 'spring.data.redis.*' so that Spring Boot defines one (its Redis auto-configuration must be on the "
						+ "class path and not be excluded), define a LettuceConnectionFactory bean, or " + IN_MEMORY);
	}

	static NoLockStoreException ambiguous(Iterable<String> names) {
		return new NoLockStoreException(
				"Distributed locks cannot tell which Redis is theirs: there are several RedisConnectionFactory beans ('"
						+ String.join("', '", names) + "') and none is primary",
				"Mark one as @Primary, define a LockStore bean with the one to use, or " + IN_MEMORY);
	}

	static NoLockStoreException notLettuce(Class<?> type) {
		return new NoLockStoreException(
				"Distributed locks need Lettuce: the RedisConnectionFactory bean is a " + type.getName(),
				"Define a LettuceConnectionFactory bean (with spring-boot-starter-data-redis: leave out Jedis, or set "
						+ "'spring.data.redis.client-type=lettuce'), or " + IN_MEMORY);
	}

	static NoLockStoreException cluster() {
		return new NoLockStoreException("Distributed locks cannot live in a Redis Cluster",
				"Define a LockStore bean with a LettuceConnectionFactory for a single Redis or for Sentinel, or "
						+ IN_MEMORY);
	}

	String problem() {
		return this.problem;
	}

	String remedy() {
		return this.remedy;
	}

}
