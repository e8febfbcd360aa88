// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.lockstarter.LockMode;
import io.lockstarter.store.LockStore;
import org.jspecify.annotations.Nullable;

/**
 * A store whose answers are votes: one of several that know nothing of each other, and of
 * which a majority decides.
 * <p>
 * After it lost its memory such a store grants nothing until everything is over that it
 * may have granted before, and fails commands to acquire until then.
 *
 * @since 0.1
 */
public interface VotingStore extends LockStore {

	/**
	 * Have each server checked before it is asked for votes.
	 * @param check is given what identifies the process of the server; throws
	 * {@link IllegalStateException} if it must not vote
	 */
	void checkServers(Consumer<String> check);

	/**
	 * Let tokens follow those of another store: all that are handed out from now on are
	 * larger.
	 * @param key the key
	 * @param ownerId who holds it
	 * @param lastToken the last token that was handed out elsewhere
	 * @return whether the owner id holds the key; if not, nothing was done
	 */
	CompletableFuture<Boolean> raise(String key, String ownerId, long lastToken);

	/**
	 * Give a vote back: release the key if this owner id holds or shares it, and reserve
	 * it for nobody.
	 * @param key the key
	 * @param ownerId who may hold it
	 * @param queued how to stand in the queue from now on, in any case; {@code null} for
	 * not at all
	 * @return whether the owner id held the key
	 */
	CompletableFuture<Boolean> abandon(String key, String ownerId, @Nullable LockMode queued);

}
