// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.engine.ScriptedStore.Call;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.AcquireReply;
import io.lockstarter.store.LockStore.Acquired;
import io.lockstarter.store.LockStore.Busy;
import io.lockstarter.store.LockStore.Renew;

import static io.lockstarter.engine.ManualEngine.KEY;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whatever happens to a key, the engine makes the moves that an instance makes in
 * {@code docs/internals/model/Lock.tla}, and no others. All orders of so many events are
 * tried. One transition of the engine may be several moves. {@code ModelTest} looks
 * whether the model makes the same.
 */
@Timeout(300)
class KeyModelTest {

	private static final LockOptions PATIENT = LockOptions.defaults().withWaitTime(Duration.ofMinutes(5));

	private static final Duration GRANT_TERM = Duration.ofSeconds(2);

	private final Set<Move> moves = moves();

	private final Set<Move> made = new HashSet<>();

	@Test
	void theEngineMovesLikeTheModel() {
		tryAllOrders(2);
		assertThat(this.made).containsExactlyInAnyOrderElementsOf(this.moves);
	}

	@Test
	@Tag("proof")
	void theEngineMovesLikeTheModelWhateverHappensNext() {
		tryAllOrders(3);
	}

	private static Set<Move> moves() {
		try {
			String module = Files.readString(Path.of("../docs/internals/model/Lock.tla"));
			return Pattern
				.compile("^ *<<\"(\\w+)\", \"(\\w+)\", \"(\\w+)\", \"(\\w+)\", \"(\\w+)\">>", Pattern.MULTILINE)
				.matcher(module)
				.results()
				.map((move) -> new Move(move.group(1), move.group(2), move.group(3), move.group(4), move.group(5)))
				.collect(Collectors.toSet());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void tryAllOrders(int events) {
		List<Event> held = List.of(Event.REQUEST, Event.REQUEST, Event.DONE);
		List<Event> busy = List.of(Event.REQUEST, Event.REQUEST, Event.BUSY, Event.SOON);
		List<Event> renewed = List.of(Event.REQUEST, Event.DONE, Event.TICK);
		List<Event> contended = List.of(Event.REQUEST, Event.REQUEST, Event.DONE, Event.CONTENDED, Event.TICK);
		Stream.of(List.<Event>of(), List.of(Event.REQUEST), held, busy, renewed, contended)
			.forEach((first) -> tryAllOrders(first, events));
	}

	private void tryAllOrders(List<Event> events, int more) {
		if (more == 0) {
			events.forEach(new Scene()::happens);
			return;
		}
		for (Event event : Event.values()) {
			tryAllOrders(Stream.concat(events.stream(), Stream.of(event)).toList(), more - 1);
		}
	}

	private enum Event {

		REQUEST, REQUEST_LONGER, CANCEL, CLOSE, SOON, TICK, PAUSE, CONTENDED, DONE, BUSY, FAILED, GRANTED,
		GRANTED_BEFORE, RENEWED, REFUSED

	}

	/**
	 * A move of the model, by the words that it has for it.
	 */
	private record Move(String is, String hears, String becomes, String by, String sends) {
	}

	/**
	 * What an instance of the model knows of the key.
	 */
	private record State(String name, String owner, long token) {

		boolean uses(String ownerId) {
			return this.owner.equals(ownerId);
		}

	}

	private record Message(String command, String owner) {
	}

	/**
	 * What the engine did at an event.
	 */
	private record Transition(State before, String heard, List<Message> sent, State after, Set<String> ownersBefore) {
	}

	/**
	 * The first moves of a transition: where they lead to, and what of it they are.
	 */
	private record Way(State state, boolean heard, int sent, Set<Move> moves) {
	}

	private final class Scene {

		private final ManualEngine engine = new ManualEngine(ManualEngine.settings(),
				new ScriptedStore().granting(GRANT_TERM));

		private final ScriptedStore store = this.engine.store();

		private final List<Event> happened = new ArrayList<>();

		private final List<CompletableFuture<Lease>> requests = new ArrayList<>();

		private final List<Message> sent = new ArrayList<>();

		private final IdentityHashMap<Object, Long> sentAt = new IdentityHashMap<>();

		// who asked for the key here, or was granted it
		private final Set<String> owners = new HashSet<>();

		// up to when each of them has the key, as the model counts it
		private final Map<String, Long> until = new HashMap<>();

		private final Set<String> grants = new HashSet<>();

		// whether it was told that the key is busy, as the last thing, since when, and
		// which token is the next
		private boolean waiting;

		private long since;

		private long next;

		private long lastToken = 1_000;

		private long tokenBefore;

		Scene() {
			this.engine.startListening();
			this.store.acquires().forward((command) -> {
				this.waiting = false;
				return sent("acquire", command.ownerId(), command, new CompletableFuture<>());
			});
			this.store.renewals()
				.forward((commands) -> sent("renew", commands.get(0).ownerId(), commands, new CompletableFuture<>()));
			this.store.releases().forward((command) -> {
				if (command.requeue()) {
					waits(now());
				}
				return sent("release", command.ownerId(), command, CompletableFuture.completedFuture(true));
			});
		}

		private <T> CompletableFuture<T> sent(String name, String owner, Object command, CompletableFuture<T> answer) {
			this.sent.add(new Message(name, owner));
			this.sentAt.put(command, now());
			return answer;
		}

		private void waits(long since) {
			this.waiting = true;
			this.since = since;
			this.next = this.lastToken + 1;
		}

		void happens(Event event) {
			this.happened.add(event);
			this.sent.clear();
			State before = state();
			Set<String> ownersBefore = Set.copyOf(this.owners);
			String heard = act(event);
			Transition transition = new Transition(before, heard, List.copyOf(this.sent), state(), ownersBefore);
			this.sent.forEach((message) -> this.owners.add(message.owner()));
			KeyModelTest.this.made.addAll(way(transition).moves());
		}

		private State state() {
			DefaultLease lease = leases().findFirst().orElse(null);
			if (lease != null) {
				long until = this.until.getOrDefault(lease.ownerId(), 0L);
				assertThat(lease.ownership().deadline()).as("the deadline after %s", this.happened)
					.isLessThanOrEqualTo(until);
				boolean over = now() >= until;
				return new State(over ? "overdue" : "holding", lease.ownerId(), lease.fencingToken());
			}
			Call<Acquire, AcquireReply> asked = this.store.acquires().last();
			if (!asked.isAnswered()) {
				return new State("asking", asked.command().ownerId(), 0);
			}
			boolean waits = this.waiting && this.requests.stream().anyMatch((request) -> !request.isDone());
			return new State(waits ? "waiting" : "idle", "", 0);
		}

		private Stream<DefaultLease> leases() {
			return this.requests.stream()
				.filter((request) -> request.isDone() && !request.isCompletedExceptionally())
				.map((request) -> (DefaultLease) request.join())
				.filter(DefaultLease::isActive);
		}

		private long now() {
			return this.engine.time().nanoTime();
		}

		// What happens, and what an instance of the model hears then

		private String act(Event event) {
			switch (event) {
				case REQUEST -> this.requests.add(this.engine.request(KEY, PATIENT));
				case REQUEST_LONGER ->
					this.requests.add(this.engine.request(KEY, PATIENT.withTtl(Duration.ofMinutes(20))));
				case CANCEL -> this.requests.stream()
					.filter((one) -> !one.isDone())
					.findFirst()
					.ifPresent((one) -> one.cancel(false));
				case CLOSE -> leases().findFirst().ifPresent(Lease::close);
				case SOON -> this.engine.tickMillis(100);
				case TICK -> this.engine.tick(Duration.ofSeconds(11));
				case PAUSE -> this.engine.time().pause(Duration.ofSeconds(31));
				case CONTENDED -> this.store.signals().contended(KEY);
				case GRANTED -> grant(this.lastToken += 8);
				case GRANTED_BEFORE -> grant(++this.tokenBefore);
				default -> {
					return answer(event);
				}
			}
			return Set.of(Event.SOON, Event.TICK, Event.PAUSE).contains(event) ? "tick" : "nothing";
		}

		private void grant(long token) {
			String owner = ManualEngine.INSTANCE + ":g" + token;
			this.grants.add(owner);
			if (this.waiting && token >= this.next) {
				this.until.put(owner, this.since + validFor(GRANT_TERM));
			}
			this.store.signals().granted(KEY, owner, new Acquired(token, token + 7, false));
		}

		private String answer(Event event) {
			if (event == Event.RENEWED || event == Event.REFUSED) {
				return this.store.renewals()
					.calls()
					.stream()
					.filter((call) -> !call.isAnswered())
					.findFirst()
					.map((call) -> answer(call, event == Event.RENEWED))
					.orElse("nothing");
			}
			Call<Acquire, AcquireReply> asked = this.store.acquires().last();
			return asked.isAnswered() ? "nothing" : answer(asked, event);
		}

		private String answer(Call<List<Renew>, List<@Nullable Boolean>> renewal, boolean held) {
			Renew command = renewal.command().get(0);
			State state = state();
			if (held && state.name().equals("holding")) {
				long deadline = this.sentAt.get(renewal.command()) + validFor(command.ttl());
				this.until.merge(command.ownerId(), deadline, Math::max);
			}
			renewal.answer(List.of(held));
			return !state.uses(command.ownerId()) ? "nothing" : held ? "renewed" : "refused";
		}

		private String answer(Call<Acquire, AcquireReply> asked, Event event) {
			Acquire command = asked.command();
			long sentAt = this.sentAt.get(command);
			if (event == Event.DONE) {
				this.until.put(command.ownerId(), sentAt + validFor(command.ttl()));
				long first = this.lastToken + 1;
				this.lastToken += command.tokens();
				asked.answer(new Acquired(first, this.lastToken, false));
				return "done";
			}
			if (event == Event.BUSY) {
				waits(sentAt);
				asked.answer(new Busy("other:1", Duration.ofSeconds(20), Duration.ZERO, this.next));
				return "busy";
			}
			asked.fail(new IllegalStateException("planted"));
			return "nothing";
		}

		private static long validFor(Duration ttl) {
			return ttl.toNanos() / 100 * 99 - 2_000_000;
		}

		// How the model does that

		private Way way(Transition transition) {
			boolean mustHear = !transition.heard().equals("nothing") && !transition.heard().equals("tick")
					&& KeyModelTest.this.moves.stream()
						.anyMatch((move) -> move.is().equals(transition.before().name())
								&& move.hears().equals(transition.heard()));
			Queue<Way> ways = new ArrayDeque<>(List.of(new Way(transition.before(), false, 0, Set.of())));
			Set<List<Object>> seen = new HashSet<>();
			for (Way way = ways.poll(); way != null; way = ways.poll()) {
				if (way.state().equals(transition.after()) && way.sent() == transition.sent().size()
						&& (way.heard() || !mustHear)) {
					return way;
				}
				for (Move move : KeyModelTest.this.moves) {
					Way more = step(transition, way, move);
					if (more != null && seen.add(List.of(more.state(), more.heard(), more.sent()))) {
						ways.add(more);
					}
				}
			}
			throw new AssertionError(
					"after %s this is nothing that the model does: %s".formatted(this.happened, transition));
		}

		private @Nullable Way step(Transition transition, Way way, Move move) {
			State state = way.state();
			boolean sends = !move.sends().equals("nothing");
			boolean hears = !move.hears().equals("nothing") && !move.hears().equals("granted");
			Message message = (way.sent() < transition.sent().size()) ? transition.sent().get(way.sent()) : null;
			if (!move.is().equals(state.name()) || (hears && (way.heard() || !move.hears().equals(transition.heard())))
					|| (sends && (message == null || !message.command().equals(move.sends())))) {
				return null;
			}
			State after = transition.after();
			String owner = (sends && message != null) ? message.owner() : after.owner();
			String by = switch (move.by()) {
				case "none" -> "";
				case "same" -> (!sends || state.uses(owner)) ? state.owner() : null;
				case "next" -> (state.uses(owner) && after.token() > state.token()) ? owner : null;
				case "new" -> (transition.ownersBefore().contains(owner) || this.grants.contains(owner)) ? null : owner;
				case "granted" -> this.grants.contains(owner) ? owner : null;
				case "other" -> state.uses(owner) ? null : state.owner();
				default -> throw new AssertionError(move);
			};
			if (by == null) {
				return null;
			}
			boolean had = move.is().equals("holding") || move.is().equals("overdue");
			boolean has = move.becomes().equals("holding") || move.becomes().equals("overdue");
			long token = !has ? 0 : (had && !move.by().equals("next")) ? state.token() : after.token();
			Set<Move> moves = new HashSet<>(way.moves());
			moves.add(move);
			return new Way(new State(move.becomes(), by, token), way.heard() || hears, way.sent() + (sends ? 1 : 0),
					moves);
		}

	}

}
