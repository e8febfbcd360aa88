// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation.redis;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

import io.lockstarter.simulation.redis.Subscriptions.Message;
import org.jspecify.annotations.Nullable;

/**
 * A server that answers as Redis 7.0 does, at once and the same each time. It runs
 * scripts in the Lua of Redis, has a clock of the caller's, and replicas that know only
 * what they were told to apply. What happens to servers, such as a restart, are methods.
 * Not thread-safe; servers of one thread share its Lua.
 */
public final class SmallRedis {

	private final String host;

	private final int port;

	private final LongSupplier micros;

	private final RandomGenerator random;

	private final Keyspace keyspace = new Keyspace();

	private final Set<SmallClient> clients = new LinkedHashSet<>();

	private final Map<String, String> scripts = new LinkedHashMap<>();

	private final List<SmallRedis> replicas = new ArrayList<>();

	/** What the primary did, and this replica does not know of yet. */
	private final Deque<Effect> pending = new ArrayDeque<>();

	private final List<Message> published = new ArrayList<>();

	private Subscriptions subscriptions = new Subscriptions();

	private @Nullable SmallCluster cluster;

	private @Nullable SmallRedis primary;

	private boolean replica;

	private boolean memoryFull;

	// how keys end that scripts may not write
	private @Nullable String protectedEnd;

	private final String nodeId;

	private String runId;

	private String replicationId;

	private String formerReplicationId = "0".repeat(40);

	/** How many effects there were; those of a replica are those of its primary. */
	private long offset;

	private long lastClient;

	private long now;

	/**
	 * Start an empty primary.
	 * @param host its name, for redirections
	 * @param port its port
	 * @param micros its clock, in µs since 1970, which may be set at any time
	 * @param random where its ids come from
	 */
	public SmallRedis(String host, int port, LongSupplier micros, RandomGenerator random) {
		this.host = host;
		this.port = port;
		this.micros = micros;
		this.random = random;
		this.nodeId = newId();
		this.runId = newId();
		this.replicationId = newId();
	}

	private String newId() {
		return this.random.ints(40, 0, 16).mapToObj(Integer::toHexString).collect(Collectors.joining());
	}

	/**
	 * Connect to it.
	 * @param pushes receives messages and the confirmations of subscriptions, during the
	 * command that causes them
	 * @return a connection
	 */
	public SmallClient connect(Consumer<Reply> pushes) {
		SmallClient client = new SmallClient(this, ++this.lastClient, pushes);
		this.clients.add(client);
		return client;
	}

	/**
	 * Return what a client can see of all keys now, in the order of their names.
	 * @return the keys
	 */
	public Map<String, Entry> entries() {
		readClock();
		return this.keyspace.visible();
	}

	/**
	 * Return whether a client can see a key now.
	 * @param key its name, one character for each byte
	 * @return whether it is there
	 */
	public boolean has(String key) {
		readClock();
		return this.keyspace.find(key) != null;
	}

	/**
	 * Return what a client can see of a key now.
	 * @param key its name, one character for each byte
	 * @return what it holds; {@code null} if it is not there
	 */
	public @Nullable Stored stored(String key) {
		Entry entry = entry(key);
		return (entry != null) ? entry.value() : null;
	}

	/**
	 * Return a key that did not expire, without any side effect.
	 * @param key its name, one character for each byte
	 * @return the key; {@code null} if it is not there
	 */
	public @Nullable Entry peek(String key) {
		return this.keyspace.peek(key, Math.floorDiv(this.micros.getAsLong(), 1000));
	}

	/**
	 * Return what a client can see of a key now, and for how long.
	 * @param key its name, one character for each byte
	 * @return what it holds, and its end; {@code null} if it is not there
	 */
	public @Nullable Entry entry(String key) {
		readClock();
		return this.keyspace.find(key);
	}

	/**
	 * Delete what has expired, as Redis does in the background ten times in a second: who
	 * never calls it has keys that come back when the clock is set back.
	 */
	public void expire() {
		readClock();
		this.keyspace.expire();
		propagate();
	}

	/**
	 * Let writes that need memory be refused, or not.
	 * @param full whether the limit is reached
	 */
	public void setMemoryFull(boolean full) {
		this.memoryFull = full;
	}

	/**
	 * Let scripts write some keys no more, as with an access control list whose selector
	 * for scripts names more keys than that for other commands.
	 * @param end how these keys end; {@code null} for none
	 */
	public void setProtected(@Nullable String end) {
		this.protectedEnd = end;
	}

	/**
	 * Forget all scripts.
	 */
	public void flushScripts() {
		this.scripts.clear();
	}

	/**
	 * Return all of the data as they are now.
	 * @return what {@link #restart(Snapshot)} takes
	 */
	public Snapshot snapshot() {
		return new Snapshot(this.keyspace.copy());
	}

	/**
	 * Restart without data.
	 */
	public void restart() {
		restart(Snapshot.EMPTY);
	}

	/**
	 * Restart: connections, scripts and subscriptions end, the process and its
	 * replication have new ids. Replicas are on their own until they are attached again;
	 * so is this one, if it is a replica.
	 * @param data what it has then
	 */
	public void restart(Snapshot data) {
		List.copyOf(this.clients).forEach((client) -> {
			client.lost();
			disconnected(client);
		});
		this.subscriptions = new Subscriptions();
		this.scripts.clear();
		detach();
		detachReplicas();
		this.keyspace.become(data.entries());
		this.runId = newId();
		this.formerReplicationId = this.replicationId;
		this.replicationId = newId();
		this.memoryFull = false;
	}

	/**
	 * Become a replica that knows its primary no more than its own replicas know it: what
	 * happens between {@code REPLICAOF} and the first synchronisation.
	 */
	public void demote() {
		detach();
		detachReplicas();
		setReplica(true);
	}

	/**
	 * Become a replica: drop all data for those of the primary, and have what it does
	 * from now on {@linkplain #pending() pending}.
	 * @param primary the primary, or another replica
	 */
	public void replicaOf(SmallRedis primary) {
		demote();
		this.primary = primary;
		primary.replicas.add(this);
		this.keyspace.become(primary.keyspace.copy());
		this.replicationId = primary.replicationId;
		this.formerReplicationId = primary.formerReplicationId;
		this.offset = primary.offset;
	}

	/**
	 * Return what this replica does not know of yet, in order.
	 * @return the commands and scripts of its primary
	 */
	public List<Effect> pending() {
		return List.copyOf(this.pending);
	}

	/**
	 * Apply the next of what is pending.
	 * @param count how many, at most
	 */
	public void applyReplication(int count) {
		for (int i = 0; i < count && !this.pending.isEmpty(); i++) {
			Effect next = this.pending.removeFirst();
			long before = this.offset;
			this.keyspace.apply(next.changes());
			next.messages().forEach((message) -> {
				this.subscriptions.publish(message);
				this.published.add(message);
			});
			propagate();
			// It knows of what changes nothing here, too.
			this.offset = before + 1;
		}
	}

	/**
	 * Become a primary, with what it knows. Connections stay, replicas do not.
	 */
	public void promote() {
		if (!this.replica) {
			return;
		}
		detach();
		detachReplicas();
		setReplica(false);
		this.formerReplicationId = this.replicationId;
		this.replicationId = newId();
	}

	private void setReplica(boolean replica) {
		this.replica = replica;
		this.keyspace.setReplica(replica);
	}

	private void detach() {
		if (this.primary != null) {
			this.primary.replicas.remove(this);
		}
		this.primary = null;
		this.pending.clear();
	}

	private void detachReplicas() {
		this.replicas.forEach((each) -> each.primary = null);
		this.replicas.clear();
	}

	public boolean isReplica() {
		return this.replica;
	}

	public @Nullable SmallRedis primary() {
		return this.primary;
	}

	public List<SmallRedis> replicas() {
		return List.copyOf(this.replicas);
	}

	public String host() {
		return this.host;
	}

	public int port() {
		return this.port;
	}

	public String runId() {
		return this.runId;
	}

	public String replicationId() {
		return this.replicationId;
	}

	String formerReplicationId() {
		return this.formerReplicationId;
	}

	// A replica takes what its primary has, and nothing else.
	/**
	 * Return whether scripts may not write a key.
	 */
	boolean isProtected(String key) {
		String end = this.protectedEnd;
		return end != null && key.endsWith(end);
	}

	boolean isMemoryFull() {
		return this.memoryFull && !this.replica;
	}

	String nodeId() {
		return this.nodeId;
	}

	/**
	 * Set or delete a key that is moved between nodes.
	 */
	void migrate(String key, @Nullable Entry entry) {
		this.keyspace.apply(Collections.singletonMap(key, entry));
		propagate();
	}

	long millis() {
		readClock();
		return this.keyspace.now();
	}

	long offset() {
		return this.offset;
	}

	long micros() {
		return this.now;
	}

	int clientCount() {
		return this.clients.size();
	}

	Keyspace keyspace() {
		return this.keyspace;
	}

	/**
	 * Return whether somebody listens to a channel.
	 */
	public boolean isHeard(String channel) {
		return this.subscriptions.isHeard(channel);
	}

	Subscriptions subscriptions() {
		return this.subscriptions;
	}

	@Nullable SmallCluster cluster() {
		return this.cluster;
	}

	void join(SmallCluster cluster) {
		this.cluster = cluster;
	}

	int acknowledgements(long written) {
		return (int) this.replicas.stream().filter((each) -> each.offset >= written).count();
	}

	void disconnected(SmallClient client) {
		this.clients.remove(client);
		this.subscriptions.removeAll(client);
	}

	/**
	 * Deliver a message to those who listen here and elsewhere.
	 * @return how many listen here
	 */
	int publish(Message message) {
		if (this.cluster != null && !message.sharded()) {
			this.cluster.broadcast(this, message);
		}
		else {
			this.published.add(message);
		}
		return this.subscriptions.publish(message);
	}

	// The time stands still during a command, and during all that a script calls.
	private void readClock() {
		this.now = this.micros.getAsLong();
		this.keyspace.freeze(Math.floorDiv(this.now, 1000));
	}

	Reply execute(SmallClient client, List<String> arguments) {
		if (!client.isOpen()) {
			throw new IllegalStateException("The connection is closed");
		}
		readClock();
		Command command = Command.of(arguments.get(0));
		boolean asked = client.isAsking();
		try {
			return command(client, command, arguments).body().run(new Command.Call(this, client, arguments));
		}
		catch (Refusal ex) {
			return ex.reply();
		}
		finally {
			// What a replica does by itself, as to publish, is none of its primary's.
			if (this.replica) {
				this.keyspace.takeChanges();
				this.published.clear();
			}
			else {
				propagate();
			}
			client.executed(this.offset);
			if (asked) {
				client.setAsking(false);
			}
		}
	}

	// In the order in which Redis looks at these.
	private Command command(SmallClient client, @Nullable Command command, List<String> arguments) {
		if (command == null) {
			throw unknown(arguments);
		}
		if (!command.fits(arguments.size())) {
			throw new Refusal("ERR wrong number of arguments for '%s' command".formatted(command.name()));
		}
		if (this.cluster != null) {
			this.cluster.check(this, client, command, command.keysOf(arguments));
		}
		if (isMemoryFull() && command.needsMemory()) {
			throw new Refusal(ScriptCaller.NO_MEMORY);
		}
		if (this.replica && command.writes()) {
			throw new Refusal(ScriptCaller.READ_ONLY);
		}
		if (!command.isForSubscribers() && !client.isPushed() && this.subscriptions.isSubscribed(client)) {
			throw new Refusal(("ERR Can't execute '%s': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET"
					+ " are allowed in this context")
				.formatted(command.name()));
		}
		return command;
	}

	// Shortened as Redis does.
	private static Refusal unknown(List<String> arguments) {
		StringBuilder all = new StringBuilder();
		for (int i = 1; i < arguments.size() && all.length() < 128; i++) {
			all.append('\'').append(shortened(arguments.get(i), 128 - all.length())).append("' ");
		}
		return new Refusal("ERR unknown command '%s', with args beginning with: %s"
			.formatted(shortened(arguments.get(0), 128), all));
	}

	private static String shortened(String text, int length) {
		int end = text.indexOf(0);
		return text.substring(0, Math.min((end < 0) ? text.length() : end, length));
	}

	String load(String text) {
		String digest = LuaScripts.digest(text);
		if (!this.scripts.containsKey(digest)) {
			LuaScripts.ofThread().compile(digest, text);
			this.scripts.put(digest, text);
		}
		return digest;
	}

	boolean isLoaded(String digest) {
		return this.scripts.containsKey(digest.toLowerCase(Locale.ROOT));
	}

	Reply run(SmallClient client, String digest, List<String> keys, List<String> arguments) {
		String text = this.scripts.get(digest.toLowerCase(Locale.ROOT));
		if (text == null) {
			throw new Refusal("NOSCRIPT No matching script. Please use EVAL.");
		}
		LuaScripts lua = LuaScripts.ofThread();
		// Another thread may have compiled it.
		String known = digest.toLowerCase(Locale.ROOT);
		lua.compile(known, text);
		return lua.run(known, keys, arguments, new ScriptCaller(this, client, keys));
	}

	private void propagate() {
		Map<String, @Nullable Entry> changes = this.keyspace.takeChanges();
		if (changes.isEmpty() && this.published.isEmpty()) {
			return;
		}
		Effect effect = new Effect(Collections.unmodifiableMap(changes), List.copyOf(this.published));
		this.published.clear();
		this.offset++;
		this.replicas.forEach((each) -> each.pending.add(effect));
	}

	@Override
	public String toString() {
		return this.host + ":" + this.port;
	}

	/**
	 * What a command or a script did, all at once.
	 *
	 * @param changes by key, what it is then; {@code null} if it was deleted
	 * @param messages what was published
	 */
	public record Effect(Map<String, @Nullable Entry> changes, List<Message> messages) {
	}

	/**
	 * The data of a server at some time.
	 *
	 * @param entries by key
	 */
	public record Snapshot(Map<String, Entry> entries) {

		/** No data. */
		public static final Snapshot EMPTY = new Snapshot(Map.of());

	}

}
