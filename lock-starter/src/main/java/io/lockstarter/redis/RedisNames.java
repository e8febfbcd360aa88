/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.lockstarter.redis;

/**
 * What is called how in Redis. All names of one prefix share a hash tag, which no key can
 * alter, because a prefix has no braces; so no two prefixes share a name. Immutable. For
 * the lock {@code K} and the prefix {@code P} there are the keys
 * <ul>
 * <li>{@code {P}lock:K}, a string: the owner id that holds the lock, with a {@code *}
 * behind it once others queue, or {@code !instance} while it is reserved for an instance;
 * <li>{@code {P}queue:K}, a sorted set: the ids of the instances that wait, by the
 * server's time when they came;
 * <li>{@code {P}forced:O}, a string: there while the owner id {@code O}, from which a
 * lock was taken by force, may not know it yet;
 * <li>{@code {P}old:K}, a string: the time that was written to the old lock of {@code K},
 * if that is one of {@code SETNX} and {@code GETSET}, with a {@code ?} behind it until
 * the first renewal if a client may write there without winning;
 * <li>{@code {P}fence}, a string: the last fencing token that was handed out, of whatever
 * lock; and
 * <li>{@code {P}server}, a string that identifies the server that handed it out.
 * </ul>
 * The channel {@code P:signal:I} of the instance {@code I} has {@code r} and a key that
 * was reserved for it, or {@code c} and a key that it holds and others want, or
 * {@code f}, an owner id, a space and the key that was taken from it by force.
 *
 * @param prefix what all names begin with
 */
record RedisNames(String prefix) {

	String tag() {
		return "{" + this.prefix + "}";
	}

	String locks() {
		return tag() + "lock:";
	}

	String lock(String key) {
		return locks() + key;
	}

	String queue(String key) {
		return tag() + "queue:" + key;
	}

	String fence() {
		return tag() + "fence";
	}

	String server() {
		return tag() + "server";
	}

	String channel(String instance) {
		return this.prefix + ":signal:" + instance;
	}

}
