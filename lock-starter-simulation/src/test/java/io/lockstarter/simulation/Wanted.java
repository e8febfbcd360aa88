// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;

/**
 * What a caller asks for.
 */
sealed interface Wanted {

	/**
	 * Return what such a call is called.
	 */
	String what();

	/**
	 * Return the keys that are asked for, one of which may do.
	 */
	List<String> keys();

	/**
	 * Return whether it is to be shared.
	 */
	default boolean isShared() {
		return false;
	}

	/**
	 * Ask for it, with options that have its mode.
	 */
	Asked ask(LockRegistry registry, LockOptions options);

	/**
	 * A request.
	 *
	 * @param request what to cancel
	 * @param leases what comes of it
	 */
	record Asked(CompletableFuture<?> request, CompletableFuture<List<Lease>> leases) {

		static Asked one(CompletableFuture<Lease> request) {
			return new Asked(request, request.thenApply(List::of));
		}

	}

	/**
	 * One lock.
	 *
	 * @param key its key
	 * @param isShared whether it is to be shared
	 */
	record Lock(String key, boolean isShared) implements Wanted {

		@Override
		public String what() {
			return "acquire";
		}

		@Override
		public List<String> keys() {
			return List.of(this.key);
		}

		@Override
		public Asked ask(LockRegistry registry, LockOptions options) {
			return Asked.one(registry.acquireAsync(this.key, options));
		}

		@Override
		public String toString() {
			return keys() + (this.isShared ? " shared" : "");
		}

	}

	/**
	 * Several locks, all or none.
	 *
	 * @param keys their keys
	 * @param isShared whether they are to be shared
	 */
	record All(List<String> keys, boolean isShared) implements Wanted {

		@Override
		public String what() {
			return "acquireAll";
		}

		@Override
		public Asked ask(LockRegistry registry, LockOptions options) {
			CompletableFuture<List<Lease>> request = registry.acquireAllAsync(this.keys, options);
			return new Asked(request, request);
		}

		@Override
		public String toString() {
			return this.keys + (this.isShared ? " shared" : "");
		}

	}

	/**
	 * One of several permits.
	 *
	 * @param key what they are of
	 * @param limit how many there are
	 */
	record Permit(String key, int limit) implements Wanted {

		@Override
		public String what() {
			return "acquirePermit";
		}

		@Override
		public List<String> keys() {
			return PermitPlan.slots(this.key, this.limit);
		}

		@Override
		public Asked ask(LockRegistry registry, LockOptions options) {
			return Asked.one(registry.permits(this.key, this.limit, options).acquireAsync());
		}

		@Override
		public String toString() {
			return "one of %d %s".formatted(this.limit, this.key);
		}

	}

}
