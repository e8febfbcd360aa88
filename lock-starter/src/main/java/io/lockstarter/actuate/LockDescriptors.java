// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.lockstarter.LockInspector;
import io.lockstarter.LockInspector.HeldLock;
import io.lockstarter.LockInspector.StoredLock;
import io.lockstarter.LockInspector.StoredLockDetails;
import io.lockstarter.LockInspector.WaitingCaller;
import io.lockstarter.text.PrintableText;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * What the {@link LocksEndpoint} answers.
 *
 * @since 0.1
 */
public final class LockDescriptors {

	private LockDescriptors() {
	}

	private static @Nullable String holderOf(StoredLock lock) {
		return lock.isHeld() ? PrintableText.of(String.join(", ", lock.ownerIds())) : null;
	}

	private static @Nullable String printable(@Nullable String text) {
		return (text != null) ? PrintableText.of(text) : null;
	}

	/**
	 * Description of the locks of this instance.
	 *
	 * @param instance the id of this instance
	 * @param counts how many there are
	 * @param held what this instance holds, up to the limit
	 * @param waiting who waits in this instance, up to the limit
	 */
	public record LocksDescriptor(String instance, CountsDescriptor counts, List<HeldDescriptor> held,
			List<WaitingDescriptor> waiting) implements OperationResponseBody {
	}

	/**
	 * How many locks are held and how many callers wait in this instance, whatever limit
	 * there is.
	 *
	 * @param held how many locks it holds
	 * @param heldMatching how many of them were asked for
	 * @param waiting how many callers wait in it
	 * @param waitingMatching how many of them were asked for
	 */
	public record CountsDescriptor(int held, int heldMatching, int waiting, int waitingMatching) {
	}

	/**
	 * Description of a page of the locks of all instances.
	 *
	 * @param instance the id of this instance
	 * @param all the locks
	 * @param next the cursor of the next page; {@code null} if there is none
	 */
	public record StoredLocksDescriptor(String instance, List<StoredDescriptor> all,
			@Nullable String next) implements OperationResponseBody {
	}

	/**
	 * Description of one lock.
	 *
	 * @param key the key
	 * @param owner the owner id that holds it; {@code null} if nobody does
	 * @param reservedFor the instance for which it is reserved; {@code null} if it is not
	 * @param remaining for how long, unless renewed; {@code null} if it is free, or does
	 * not expire
	 * @param queue the instances that wait, the next one first
	 * @param lastToken the last fencing token that was handed out or reserved, of
	 * whatever lock, so it may be larger than any token in use; {@code null} if that is
	 * forgotten
	 * @param instance the id of this instance
	 * @param held the lock as this instance holds it; {@code null} if it does not
	 * @param waiting who waits in this instance; one thousand at most
	 * @param waitingCount how many wait in this instance
	 */
	public record LockDescriptor(String key, @Nullable String owner, @Nullable String reservedFor,
			@Nullable Duration remaining, List<QueuedDescriptor> queue, @Nullable Long lastToken, String instance,
			@Nullable HeldDescriptor held, List<WaitingDescriptor> waiting,
			int waitingCount) implements OperationResponseBody {

		/**
		 * Describe a lock.
		 * @param inspector knows what this instance has of it
		 * @param most how many waiting callers to list
		 */
		static LockDescriptor of(String key, StoredLockDetails details, LockInspector inspector, int most) {
			StoredLock lock = details.lock();
			List<WaitingCaller> waiting = inspector.waiting()
				.stream()
				.filter((caller) -> caller.key().equals(key))
				.toList();
			HeldDescriptor held = inspector.held()
				.stream()
				.filter((candidate) -> candidate.key().equals(key))
				.findFirst()
				.map((found) -> HeldDescriptor.of(found, key, waiting.size()))
				.orElse(null);
			List<QueuedDescriptor> queue = details.queue()
				.stream()
				.map((queued) -> new QueuedDescriptor(PrintableText.of(queued.instance()), queued.since()))
				.toList();
			return new LockDescriptor(key, holderOf(lock), printable(lock.reservedFor()), lock.remaining(), queue,
					details.lastToken(), inspector.instanceId(), held,
					waiting.stream().limit(most).map((caller) -> WaitingDescriptor.of(caller, key)).toList(),
					waiting.size());
		}

	}

	/**
	 * Description of a lock that this instance holds.
	 *
	 * @param key the key
	 * @param name the name of the lock, as metrics have it
	 * @param owner the owner id
	 * @param fencingToken the fencing token of the lease
	 * @param since when it was granted
	 * @param deadline when it is lost unless it is renewed
	 * @param waiters how many callers of this instance wait for it
	 * @param thread the thread that acquired it; {@code null} if it did not wait for it
	 */
	public record HeldDescriptor(String key, String name, String owner, long fencingToken, Instant since,
			Instant deadline, int waiters, @Nullable ThreadDescriptor thread) {

		static HeldDescriptor of(HeldLock lock, String key, int waiters) {
			return new HeldDescriptor(key, lock.name(), lock.ownerId(), lock.fencingToken(), lock.since(),
					lock.deadline(), waiters, ThreadDescriptor.of(lock.thread()));
		}

	}

	/**
	 * Description of somebody who waits in this instance.
	 *
	 * @param key the key
	 * @param name the name of the lock, as metrics have it
	 * @param since since when
	 * @param until when the wait time is over; {@code null} for as long as it takes
	 * @param thread the thread that waits; {@code null} for an asynchronous caller
	 */
	public record WaitingDescriptor(String key, String name, Instant since, @Nullable Instant until,
			@Nullable ThreadDescriptor thread) {

		static WaitingDescriptor of(WaitingCaller caller, String key) {
			return new WaitingDescriptor(key, caller.name(), caller.since(), caller.until(),
					ThreadDescriptor.of(caller.thread()));
		}

	}

	/**
	 * Description of a lock that any instance holds.
	 *
	 * @param key the key
	 * @param owner the owner id that holds it; {@code null} if it is reserved
	 * @param reservedFor the instance for which it is reserved; {@code null} if it is not
	 * @param remaining for how long, unless renewed; {@code null} if it does not expire
	 */
	public record StoredDescriptor(String key, @Nullable String owner, @Nullable String reservedFor,
			@Nullable Duration remaining) {

		static StoredDescriptor of(StoredLock lock, String key) {
			return new StoredDescriptor(key, holderOf(lock), printable(lock.reservedFor()), lock.remaining());
		}

	}

	/**
	 * Description of an instance that waits.
	 *
	 * @param instance the instance id
	 * @param since since when, by the clock of the store
	 */
	public record QueuedDescriptor(String instance, @Nullable Instant since) {
	}

	/**
	 * Description of a thread, as thread dumps name it.
	 *
	 * @param id its id
	 * @param name its name, which virtual threads often lack
	 * @param virtual whether it is a virtual thread
	 * @param state what it does
	 */
	public record ThreadDescriptor(long id, String name, boolean virtual, Thread.State state) {

		private static @Nullable ThreadDescriptor of(@Nullable Thread thread) {
			return (thread != null)
					? new ThreadDescriptor(thread.getId(), thread.getName(), isVirtual(thread), thread.getState())
					: null;
		}

		// By what Java 17 knows of them.
		private static boolean isVirtual(Thread thread) {
			return thread.getClass().getName().startsWith("java.lang.")
					&& thread.getClass().getName().endsWith("VirtualThread");
		}

	}

	/**
	 * Description of why a request was not carried out.
	 *
	 * @param message the message
	 */
	public record ProblemDescriptor(String message) implements OperationResponseBody {
	}

}
