package io.lockstarter.redis;

/**
 * What is called how in Redis. The keys of one lock share a hash tag, which is never
 * empty because the prefix is part of it, whatever the lock is called. Immutable.
 * <table>
 * <caption>Keys and channels, for the lock {@code K} and the prefix {@code P}</caption>
 * <tr>
 * <td>{@code {P:K}}</td>
 * <td>string: the owner id that holds the lock, or {@code !instance} while it is reserved
 * for an instance</td>
 * </tr>
 * <tr>
 * <td>{@code {P:K}:fence}</td>
 * <td>string: the last fencing token that was handed out</td>
 * </tr>
 * <tr>
 * <td>{@code {P:K}:queue}</td>
 * <td>sorted set: the ids of the instances that wait, by the server's time when they
 * came</td>
 * </tr>
 * <tr>
 * <td>{@code P:signal:I}</td>
 * <td>channel of the instance {@code I}: {@code r} and a key that was reserved for it, or
 * {@code c} and a key that it holds and others want</td>
 * </tr>
 * </table>
 *
 * @param prefix what all names begin with
 */
record RedisNames(String prefix) {

	String lock(String key) {
		return "{" + this.prefix + ":" + key + "}";
	}

	String fence(String key) {
		return lock(key) + ":fence";
	}

	String queue(String key) {
		return lock(key) + ":queue";
	}

	String channel(String instance) {
		return this.prefix + ":signal:" + instance;
	}

}
