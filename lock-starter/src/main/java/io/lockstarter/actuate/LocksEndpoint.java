// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.actuate;

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
import io.lockstarter.LockInspector.StoredLocks;
import io.lockstarter.LockInspector.WaitingCaller;
import io.lockstarter.LockStoreException;
import io.lockstarter.text.PrintableText;
import io.lockstarter.actuate.LockDescriptors.CountsDescriptor;
import io.lockstarter.actuate.LockDescriptors.HeldDescriptor;
import io.lockstarter.actuate.LockDescriptors.LockDescriptor;
import io.lockstarter.actuate.LockDescriptors.LocksDescriptor;
import io.lockstarter.actuate.LockDescriptors.ProblemDescriptor;
import io.lockstarter.actuate.LockDescriptors.StoredDescriptor;
import io.lockstarter.actuate.LockDescriptors.StoredLocksDescriptor;
import io.lockstarter.actuate.LockDescriptors.WaitingDescriptor;
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
@RegisterReflectionForBinding({ LocksDescriptor.class, StoredLocksDescriptor.class, LockDescriptor.class,
		ProblemDescriptor.class })
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
		LockInspector inspector = this.inspector.get();
		if (scope != Scope.ALL) {
			return (most < 1 || most > MOST)
					? problem(WebEndpointResponse.STATUS_BAD_REQUEST,
							"limit must be between 1 and %d, but is %d".formatted(MOST, most))
					: new WebEndpointResponse<>(
							held(inspector, keys, name, (sort != null) ? sort : Sort.WAITERS, most));
		}
		if (name != null || sort != null) {
			return problem(WebEndpointResponse.STATUS_BAD_REQUEST,
					"The store knows neither names nor an order: 'name' and 'sort' are for the locks of this instance");
		}
		return respond(() -> inspector.scan(keys.prefix(), cursor, most),
				(page) -> new WebEndpointResponse<>(stored(inspector, page, keys)));
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

	private WebEndpointResponse<OperationResponseBody> lock(String key) {
		LockInspector inspector = this.inspector.get();
		return respond(() -> inspector.inspect(key),
				(details) -> new WebEndpointResponse<>(LockDescriptor.of(key, details, inspector, MOST)));
	}

	private static OperationResponseBody held(LockInspector inspector, ShownKeys keys, @Nullable String name, Sort sort,
			int most) {
		List<HeldLock> allHeld = inspector.held();
		List<WaitingCaller> allWaiting = inspector.waiting();
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
		return new LocksDescriptor(inspector.instanceId(),
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

	private static OperationResponseBody stored(LockInspector inspector, StoredLocks page, ShownKeys keys) {
		return new StoredLocksDescriptor(inspector.instanceId(),
				page.locks()
					.stream()
					.filter((lock) -> keys.contain(lock.key()))
					.map((lock) -> StoredDescriptor.of(lock, keys.show(lock.key())))
					.toList(),
				page.next());
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

}
