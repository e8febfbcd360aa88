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
package io.lockstarter.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.lockstarter.LockInspector;
import io.lockstarter.LockInspector.HeldLock;
import io.lockstarter.LockInspector.StoredLock;
import io.lockstarter.LockInspector.StoredLockDetails;
import io.lockstarter.LockInspector.StoredLocks;
import io.lockstarter.LockInspector.WaitingCaller;
import io.lockstarter.LockStoreException;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SanitizableData;
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

/**
 * {@link WebEndpoint @WebEndpoint} that shows which locks are held and who waits, and
 * releases a lock by force.
 *
 * @since 0.1
 */
@WebEndpoint(id = "locks")
@RegisterReflectionForBinding({ LocksEndpoint.LocksDescriptor.class, LocksEndpoint.LockDescriptor.class,
		LocksEndpoint.ProblemDescriptor.class })
@SuppressWarnings("deprecation") // Spring Boot 3.5 knows optional parameters by that
									// @Nullable alone
public final class LocksEndpoint {

	private static final int STATUS_FORBIDDEN = 403;

	private static final int STATUS_CONFLICT = 409;

	private static final int STATUS_NOT_IMPLEMENTED = 501;

	private static final int DEFAULT_LIMIT = 100;

	private final Supplier<LockInspector> inspector;

	private final Sanitizer sanitizer;

	private final Show showValues;

	private final Set<String> roles;

	private final boolean forceRelease;

	/**
	 * Create the endpoint.
	 * @param inspector what it shows, looked up when it is asked
	 * @param sanitizingFunctions what hides keys
	 * @param showValues when to show keys
	 * @param roles who may see them, if that is to be authorized; empty for all who are
	 * authenticated
	 * @param forceRelease whether locks may be released by force
	 */
	public LocksEndpoint(Supplier<LockInspector> inspector, Iterable<SanitizingFunction> sanitizingFunctions,
			Show showValues, Set<String> roles, boolean forceRelease) {
		this.inspector = inspector;
		this.sanitizer = new Sanitizer(sanitizingFunctions);
		this.showValues = showValues;
		this.roles = Set.copyOf(roles);
		this.forceRelease = forceRelease;
	}

	/**
	 * Return what this instance holds and who waits here; or, with a key, all about that
	 * lock.
	 * @param securityContext who asks
	 * @param key the key, which may be one that does not fit into a path
	 * @param scope whether to list the locks of all instances as well
	 * @param cursor where to go on with those, as the page before says
	 * @param limit about how many of those to list, 100 by default
	 * @return the locks
	 */
	@ReadOperation
	public WebEndpointResponse<OperationResponseBody> locks(SecurityContext securityContext,
			@org.springframework.lang.Nullable @Nullable String key,
			@org.springframework.lang.Nullable @Nullable Scope scope,
			@org.springframework.lang.Nullable @Nullable String cursor,
			@org.springframework.lang.Nullable @Nullable Integer limit) {
		if (key != null) {
			return lock(key);
		}
		if (scope != Scope.ALL) {
			return new WebEndpointResponse<>(locks(securityContext, null));
		}
		return respond(() -> this.inspector.get().scan(cursor, (limit != null) ? limit : DEFAULT_LIMIT),
				(page) -> new WebEndpointResponse<>(locks(securityContext, page)));
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
	 * @param key the key; never in the path, which could name another one
	 * @param owner the owner id to take it from; {@code null} for whoever holds it
	 * @return nothing, or why it was not released
	 */
	@DeleteOperation
	public WebEndpointResponse<OperationResponseBody> release(@org.springframework.lang.Nullable @Nullable String key,
			@org.springframework.lang.Nullable @Nullable String owner) {
		if (key == null) {
			return problem(WebEndpointResponse.STATUS_BAD_REQUEST,
					"Name the lock to release, as in 'locks?key=stock:42'");
		}
		if (!this.forceRelease) {
			return problem(STATUS_FORBIDDEN,
					"Locks may not be released by force: 'distributed-lock.endpoint.force-release' is false");
		}
		return respond(() -> this.inspector.get().forceRelease(key, owner), (released) -> {
			if (released) {
				return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NO_CONTENT);
			}
			return (owner != null) ? problem(STATUS_CONFLICT, "The lock is not held by '%s'".formatted(owner))
					: problem(WebEndpointResponse.STATUS_NOT_FOUND, "The lock is not held");
		});
	}

	private WebEndpointResponse<OperationResponseBody> lock(String key) {
		return respond(() -> this.inspector.get().inspect(key),
				(details) -> new WebEndpointResponse<>(describe(key, details)));
	}

	private OperationResponseBody describe(String key, StoredLockDetails details) {
		StoredLock lock = details.lock();
		HeldDescriptor held = held(UnaryOperator.identity()).filter((candidate) -> candidate.key().equals(key))
			.findFirst()
			.orElse(null);
		List<WaitingDescriptor> waiting = waiting(UnaryOperator.identity())
			.filter((candidate) -> candidate.key().equals(key))
			.toList();
		List<QueuedDescriptor> queue = details.queue()
			.stream()
			.map((queued) -> new QueuedDescriptor(queued.instance(), queued.since()))
			.toList();
		return new LockDescriptor(key, lock.ownerId(), lock.reservedFor(), lock.remaining(), queue, details.lastToken(),
				this.inspector.get().instanceId(), held, waiting);
	}

	private OperationResponseBody locks(SecurityContext securityContext, @Nullable StoredLocks page) {
		boolean shown = this.showValues.isShown(securityContext, this.roles);
		UnaryOperator<String> sanitized = (key) -> sanitize(key, shown);
		List<StoredDescriptor> all = (page == null) ? null
				: page.locks().stream().map((lock) -> StoredDescriptor.of(lock, sanitized)).toList();
		return new LocksDescriptor(this.inspector.get().instanceId(), held(sanitized).toList(),
				waiting(sanitized).toList(), all, (page != null) ? page.next() : null);
	}

	private Stream<HeldDescriptor> held(UnaryOperator<String> sanitized) {
		return this.inspector.get().held().stream().map((lock) -> HeldDescriptor.of(lock, sanitized));
	}

	private Stream<WaitingDescriptor> waiting(UnaryOperator<String> sanitized) {
		return this.inspector.get().waiting().stream().map((caller) -> WaitingDescriptor.of(caller, sanitized));
	}

	private String sanitize(String key, boolean shown) {
		return String.valueOf(this.sanitizer.sanitize(new SanitizableData(null, "key", key), shown));
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
		return new WebEndpointResponse<>(new ProblemDescriptor(message), status);
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
		 * Those of all instances, as well.
		 */
		ALL

	}

	/**
	 * Description of locks.
	 *
	 * @param instance the id of this instance
	 * @param held what this instance holds
	 * @param waiting who waits in this instance
	 * @param all a page of what all instances hold; {@code null} if it was not asked for
	 * @param next the cursor of the next page; {@code null} if there is none
	 */
	public record LocksDescriptor(String instance, List<HeldDescriptor> held, List<WaitingDescriptor> waiting,
			@Nullable List<StoredDescriptor> all, @Nullable String next) implements OperationResponseBody {
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
	 * @param waiting who waits in this instance
	 */
	public record LockDescriptor(String key, @Nullable String owner, @Nullable String reservedFor,
			@Nullable Duration remaining, List<QueuedDescriptor> queue, @Nullable Long lastToken, String instance,
			@Nullable HeldDescriptor held, List<WaitingDescriptor> waiting) implements OperationResponseBody {
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
	 * @param thread the thread that acquired it; {@code null} if it did not wait for it
	 */
	public record HeldDescriptor(String key, String name, String owner, long fencingToken, Instant since,
			Instant deadline, @Nullable ThreadDescriptor thread) {

		private static HeldDescriptor of(HeldLock lock, UnaryOperator<String> sanitized) {
			return new HeldDescriptor(sanitized.apply(lock.key()), lock.name(), lock.ownerId(), lock.fencingToken(),
					lock.since(), lock.deadline(), ThreadDescriptor.of(lock.thread()));
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

		private static WaitingDescriptor of(WaitingCaller caller, UnaryOperator<String> sanitized) {
			return new WaitingDescriptor(sanitized.apply(caller.key()), caller.name(), caller.since(), caller.until(),
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

		private static StoredDescriptor of(StoredLock lock, UnaryOperator<String> sanitized) {
			return new StoredDescriptor(sanitized.apply(lock.key()), lock.ownerId(), lock.reservedFor(),
					lock.remaining());
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
