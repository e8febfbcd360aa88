// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.function.Supplier;

import io.lockstarter.LockInspector;
import io.lockstarter.LockInspector.HeldLock;
import io.lockstarter.LockInspector.StoredLock;
import io.lockstarter.LockInspector.StoredLockDetails;
import io.lockstarter.LockInspector.StoredLocks;
import io.lockstarter.LockInspector.WaitingCaller;
import io.lockstarter.LockStoreException;
import io.lockstarter.PrintableText;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.Sanitizer;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.context.ApplicationEventPublisher;

/**
 * {@link WebEndpoint @WebEndpoint} that shows which locks are held and who waits, and
 * releases a lock by force.
 *
 * @since 0.1
 */
@WebEndpoint(id = "locks")
@RegisterReflectionForBinding({ LocksEndpoint.LocksDescriptor.class, LocksEndpoint.StoredLocksDescriptor.class,
		LocksEndpoint.LockDescriptor.class, LocksEndpoint.ProblemDescriptor.class })
@SuppressWarnings("deprecation") // Spring Boot 3.5 knows optional parameters by that
									// @Nullable alone
public final class LocksEndpoint {

	private static final int STATUS_FORBIDDEN = 403;

	private static final int STATUS_CONFLICT = 409;

	private static final int STATUS_NOT_IMPLEMENTED = 501;

	private static final int DEFAULT_LIMIT = 100;

	private static final int MOST = 1000;

	private final Supplier<LockInspector> inspector;

	private final Sanitizer sanitizer;

	private final Show showValues;

	private final Set<String> roles;

	private final boolean forceRelease;

	private final ForceReleaseTrail trail;

	/**
	 * Create the endpoint.
	 * @param inspector what it shows, looked up when it is asked
	 * @param sanitizingFunctions what hides keys
	 * @param showValues when to show keys
	 * @param roles who may see them, if that is to be authorized; empty for all who are
	 * authenticated. If there are any, also who may release locks by force
	 * @param forceRelease whether locks may be released by force
	 * @param audit is told of each release by force that was asked for
	 */
	public LocksEndpoint(Supplier<LockInspector> inspector, Iterable<SanitizingFunction> sanitizingFunctions,
			Show showValues, Set<String> roles, boolean forceRelease, ApplicationEventPublisher audit) {
		this.inspector = inspector;
		this.sanitizer = new Sanitizer(sanitizingFunctions);
		this.showValues = showValues;
		this.roles = Set.copyOf(roles);
		this.forceRelease = forceRelease;
		this.trail = new ForceReleaseTrail(audit);
	}

	/**
	 * Return what this instance holds and who waits here; or the locks of all instances;
	 * or, with a key, all about that lock.
	 * @param securityContext who asks
	 * @param key the key, which may be one that does not fit into a path
	 * @param scope whose locks to list
	 * @param cursor where to go on with those of all instances, as the page before says
	 * @param limit how many to list, 100 by default; about as many of all instances
	 * @param prefix what the keys begin with
	 * @param name the name of the locks of this instance
	 * @param sort the order of the locks of this instance, {@link Sort#WAITERS} by
	 * default
	 * @return the locks
	 */
	@ReadOperation
	public WebEndpointResponse<OperationResponseBody> locks(SecurityContext securityContext,
			@org.springframework.lang.Nullable @Nullable String key,
			@org.springframework.lang.Nullable @Nullable Scope scope,
			@org.springframework.lang.Nullable @Nullable String cursor,
			@org.springframework.lang.Nullable @Nullable Integer limit,
			@org.springframework.lang.Nullable @Nullable String prefix,
			@org.springframework.lang.Nullable @Nullable String name,
			@org.springframework.lang.Nullable @Nullable Sort sort) {
		if (key != null) {
			return lock(key);
		}
		boolean shown = this.showValues.isShown(securityContext, this.roles);
		if (prefix != null && !shown) {
			return problem(STATUS_FORBIDDEN,
					"Keys are hidden, and cannot be looked for: see 'management.endpoint.locks.show-values'");
		}
		ShownKeys keys = new ShownKeys(this.sanitizer, shown, (prefix != null) ? prefix : "");
		int most = (limit != null) ? limit : DEFAULT_LIMIT;
		if (scope != Scope.ALL) {
			return (most < 1 || most > MOST)
					? problem(WebEndpointResponse.STATUS_BAD_REQUEST,
							"limit must be between 1 and %d, but is %d".formatted(MOST, most))
					: new WebEndpointResponse<>(held(keys, name, (sort != null) ? sort : Sort.WAITERS, most));
		}
		if (name != null || sort != null) {
			return problem(WebEndpointResponse.STATUS_BAD_REQUEST,
					"The store knows neither names nor an order: 'name' and 'sort' are for the locks of this instance");
		}
		return respond(() -> this.inspector.get().scan(keys.prefix(), cursor, most),
				(page) -> new WebEndpointResponse<>(stored(page, keys)));
	}

	/**
	 * Return all about one lock.
	 * @param key to be absent, as the path names the key
	 * @param segments the segments of the key
	 * @return the lock
	 */
	@ReadOperation
	public WebEndpointResponse<OperationResponseBody> lock(@org.springframework.lang.Nullable @Nullable String key,
			@Selector(match = Match.ALL_REMAINING) String... segments) {
		if (key != null) {
			return problem(WebEndpointResponse.STATUS_BAD_REQUEST,
					"Name the key in the path or as the parameter 'key', not both");
		}
		return lock(String.join("/", segments));
	}

	/**
	 * Release a lock by force.
	 * @param securityContext who asks
	 * @param key the key; never in the path, which could name another one
	 * @param owner the owner id to take it from; {@code null} for whoever holds it
	 * @return nothing, or why it was not released
	 */
	@DeleteOperation
	public WebEndpointResponse<OperationResponseBody> release(SecurityContext securityContext,
			@org.springframework.lang.Nullable @Nullable String key,
			@org.springframework.lang.Nullable @Nullable String owner) {
		if (key == null) {
			return problem(WebEndpointResponse.STATUS_BAD_REQUEST,
					"Name the lock to release, as in 'locks?key=stock:42'");
		}
		WebEndpointResponse<OperationResponseBody> response = releaseIfAllowed(securityContext, key, owner);
		this.trail.add(securityContext, key, owner, response);
		return response;
	}

	private WebEndpointResponse<OperationResponseBody> releaseIfAllowed(SecurityContext securityContext, String key,
			@Nullable String owner) {
		if (!this.forceRelease) {
			return problem(STATUS_FORBIDDEN,
					"Locks may not be released by force: 'distributed-lock.endpoint.force-release' is false");
		}
		return mayRelease(securityContext) ? release(key, owner) : problem(STATUS_FORBIDDEN,
				"Only users with one of the roles in 'management.endpoint.locks.roles' may release locks by force");
	}

	/**
	 * Without roles it is for the security of the application to say who may.
	 */
	private boolean mayRelease(SecurityContext securityContext) {
		return this.roles.isEmpty() || Show.WHEN_AUTHORIZED.isShown(securityContext, this.roles);
	}

	private WebEndpointResponse<OperationResponseBody> release(String key, @Nullable String owner) {
		return respond(() -> this.inspector.get().forceRelease(key, owner), (released) -> {
			if (released) {
				return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NO_CONTENT);
			}
			return (owner != null) ? problem(STATUS_CONFLICT, "The lock is not held by '%s'".formatted(owner))
					: problem(WebEndpointResponse.STATUS_NOT_FOUND, "The lock is not held");
		});
	}

	private static @Nullable String holderOf(StoredLock lock) {
		return lock.isHeld() ? PrintableText.of(String.join(", ", lock.ownerIds())) : null;
	}

	private WebEndpointResponse<OperationResponseBody> lock(String key) {
		return respond(() -> this.inspector.get().inspect(key),
				(details) -> new WebEndpointResponse<>(describe(key, details)));
	}

	private OperationResponseBody describe(String key, StoredLockDetails details) {
		StoredLock lock = details.lock();
		List<WaitingCaller> waiting = this.inspector.get()
			.waiting()
			.stream()
			.filter((caller) -> caller.key().equals(key))
			.toList();
		HeldDescriptor held = this.inspector.get()
			.held()
			.stream()
			.filter((candidate) -> candidate.key().equals(key))
			.findFirst()
			.map((found) -> HeldDescriptor.of(found, found.key(), waiting.size()))
			.orElse(null);
		List<QueuedDescriptor> queue = details.queue()
			.stream()
			.map((queued) -> new QueuedDescriptor(PrintableText.of(queued.instance()), queued.since()))
			.toList();
		return new LockDescriptor(key, holderOf(lock), printable(lock.reservedFor()), lock.remaining(), queue,
				details.lastToken(), this.inspector.get().instanceId(), held,
				waiting.stream().limit(MOST).map((caller) -> WaitingDescriptor.of(caller, caller.key())).toList(),
				waiting.size());
	}

	private OperationResponseBody held(ShownKeys keys, @Nullable String name, Sort sort, int most) {
		List<HeldLock> allHeld = this.inspector.get().held();
		List<WaitingCaller> allWaiting = this.inspector.get().waiting();
		Map<String, Integer> waiters = new HashMap<>();
		allWaiting.forEach((caller) -> waiters.merge(caller.key(), 1, Integer::sum));
		List<HeldLock> held = allHeld.stream()
			.filter((lock) -> keys.contain(lock.key()) && (name == null || name.equals(lock.name())))
			.sorted(sort.order(HeldLock::key, HeldLock::since, waiters, true))
			.toList();
		List<WaitingCaller> waiting = allWaiting.stream()
			.filter((caller) -> keys.contain(caller.key()) && (name == null || name.equals(caller.name())))
			.sorted(sort.order(WaitingCaller::key, WaitingCaller::since, waiters, false))
			.toList();
		return new LocksDescriptor(this.inspector.get().instanceId(),
				new CountsDescriptor(allHeld.size(), held.size(), allWaiting.size(), waiting.size()),
				held.stream()
					.limit(most)
					.map((lock) -> HeldDescriptor.of(lock, keys.show(lock.key()), waiters.getOrDefault(lock.key(), 0)))
					.toList(),
				waiting.stream()
					.limit(most)
					.map((caller) -> WaitingDescriptor.of(caller, keys.show(caller.key())))
					.toList());
	}

	private OperationResponseBody stored(StoredLocks page, ShownKeys keys) {
		return new StoredLocksDescriptor(this.inspector.get().instanceId(),
				page.locks()
					.stream()
					.filter((lock) -> keys.contain(lock.key()))
					.map((lock) -> StoredDescriptor.of(lock, keys.show(lock.key())))
					.toList(),
				page.next());
	}

	private static @Nullable String printable(@Nullable String text) {
		return (text != null) ? PrintableText.of(text) : null;
	}

	private static <T> WebEndpointResponse<OperationResponseBody> respond(Supplier<CompletableFuture<T>> question,
			Function<T, WebEndpointResponse<OperationResponseBody>> response) {
		T answer;
		try {
			answer = question.get().join();
		}
		catch (CompletionException ex) {
			return problem((ex.getCause() != null) ? ex.getCause() : ex);
		}
		catch (IllegalArgumentException | IllegalStateException ex) {
			return problem(ex);
		}
		return response.apply(answer);
	}

	private static WebEndpointResponse<OperationResponseBody> problem(Throwable failure) {
		int status = WebEndpointResponse.STATUS_INTERNAL_SERVER_ERROR;
		if (failure instanceof IllegalArgumentException) {
			status = WebEndpointResponse.STATUS_BAD_REQUEST;
		}
		else if (failure instanceof LockStoreException || failure instanceof IllegalStateException) {
			status = WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE;
		}
		else if (failure instanceof UnsupportedOperationException) {
			status = STATUS_NOT_IMPLEMENTED;
		}
		return problem(status, String.valueOf(failure.getMessage()));
	}

	private static WebEndpointResponse<OperationResponseBody> problem(int status, String message) {
		return new WebEndpointResponse<>(new ProblemDescriptor(PrintableText.of(message)), status);
	}

	/**
	 * Whose locks to list.
	 */
	public enum Scope {

		/**
		 * Those of this instance.
		 */
		INSTANCE,

		/**
		 * Those of all instances, as the store has them.
		 */
		ALL

	}

	/**
	 * The order of what an instance holds, and of who waits in it.
	 */
	public enum Sort {

		/**
		 * Locks for which most callers of this instance wait first, then the oldest.
		 */
		WAITERS,

		/**
		 * What is held, and who waits, for longest first.
		 */
		AGE,

		/**
		 * In the order of the keys.
		 */
		KEY;

		/**
		 * Return the order.
		 * @param oldestFirst whether of equal ones the oldest is first; else they stay as
		 * they are
		 */
		private <T> Comparator<T> order(Function<T, String> key, Function<T, Instant> since,
				Map<String, Integer> waiters, boolean oldestFirst) {
			Comparator<T> mostWanted = Comparator.<T>comparingInt((lock) -> -waiters.getOrDefault(key.apply(lock), 0));
			return switch (this) {
				case WAITERS -> oldestFirst ? mostWanted.thenComparing(since) : mostWanted;
				case AGE -> Comparator.comparing(since);
				case KEY -> Comparator.comparing(key);
			};
		}

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

		private static HeldDescriptor of(HeldLock lock, String key, int waiters) {
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

		private static WaitingDescriptor of(WaitingCaller caller, String key) {
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

		private static StoredDescriptor of(StoredLock lock, String key) {
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
