// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.lockstarter.simulation.redis.Command.Call;
import io.lockstarter.simulation.redis.Command.Keys;
import io.lockstarter.simulation.redis.Subscriptions.Kind;
import io.lockstarter.simulation.redis.Subscriptions.Message;

/**
 * The commands that are for the server, scripts, messages and connections, as Redis 7.0
 * has them.
 */
final class ServerCommands {

	private ServerCommands() {
	}

	static List<Command> all() {
		List<Command> all = new ArrayList<>();
		all.add(new Command("eval", -3, "s", Keys.SCRIPT, (call) -> eval(call, call.server().load(call.at(1)))));
		all.add(new Command("evalsha", -3, "s", Keys.SCRIPT, (call) -> eval(call, call.at(1))));
		all.add(new Command("script", -2, "s", Keys.NONE, ServerCommands::script));

		all.add(new Command("publish", 3, "", Keys.NONE, (call) -> publish(call, false)));
		all.add(new Command("spublish", 3, "", Keys.CHANNEL, (call) -> publish(call, true)));
		for (Kind kind : Kind.values()) {
			Keys keys = (kind == Kind.SHARD) ? Keys.CHANNELS : Keys.NONE;
			all.add(new Command(kind.verb, -2, "sp", keys, (call) -> subscribe(call, kind)));
			all.add(new Command(kind.opposite, -1, "sp", keys, (call) -> unsubscribe(call, kind)));
		}
		all.add(new Command("pubsub", -2, "", Keys.NONE, ServerCommands::pubsub));

		all.add(new Command("time", 1, "", Keys.NONE, ServerCommands::time));
		all.add(new Command("info", -1, "", Keys.NONE, ServerCommands::info));
		all.add(new Command("wait", 3, "s", Keys.NONE, ServerCommands::waitForReplicas));
		all.add(new Command("cluster", -2, "", Keys.NONE, ServerCommands::cluster));
		all.add(new Command("asking", 1, "", Keys.NONE, ServerCommands::asking));
		all.add(new Command("config", -2, "s", Keys.NONE, ServerCommands::config));

		all.add(new Command("ping", -1, "p", Keys.NONE, ServerCommands::ping));
		all.add(new Command("echo", 2, "", Keys.NONE, (call) -> new Reply.Bulk(call.at(1))));
		all.add(new Command("select", 2, "", Keys.NONE, ServerCommands::select));
		all.add(new Command("hello", -1, "s", Keys.NONE, ServerCommands::hello));
		all.add(new Command("client", -2, "s", Keys.NONE, ServerCommands::client));
		all.add(new Command("quit", -1, "sp", Keys.NONE, (call) -> {
			call.client().close();
			return Reply.OK;
		}));
		return all;
	}

	private static Refusal unknownSubcommand(Call call) {
		return new Refusal("ERR unknown subcommand '%s'. Try %s HELP.".formatted(call.at(1),
				call.lower(0).toUpperCase(Locale.ROOT)));
	}

	/**
	 * Check the number of arguments of a subcommand.
	 * @param arity as that of commands
	 */
	private static void check(Call call, int arity) {
		if ((arity >= 0) ? call.count() != arity : call.count() < -arity) {
			throw new Refusal(
					"ERR wrong number of arguments for '%s|%s' command".formatted(call.lower(0), call.lower(1)));
		}
	}

	private static Reply eval(Call call, String digest) {
		long count = Numbers.integer(call.at(2));
		if (count > call.count() - 3) {
			throw new Refusal("ERR Number of keys can't be greater than number of args");
		}
		if (count < 0) {
			throw new Refusal("ERR Number of keys can't be negative");
		}
		int firstArgument = 3 + (int) count;
		return call.server().run(call.client(), digest, call.from(3).subList(0, (int) count), call.from(firstArgument));
	}

	private static Reply script(Call call) {
		switch (call.lower(1)) {
			case "load" -> {
				check(call, 3);
				return new Reply.Bulk(call.server().load(call.at(2)));
			}
			case "exists" -> {
				check(call, -3);
				return new Reply.Array(
						call.from(2).stream().map((digest) -> Reply.of(call.server().isLoaded(digest))).toList());
			}
			case "flush" -> {
				call.server().flushScripts();
				return Reply.OK;
			}
			default -> throw unknownSubcommand(call);
		}
	}

	private static Reply publish(Call call, boolean sharded) {
		return Reply.of(call.server().publish(new Message(call.at(1), call.at(2), sharded)));
	}

	private static Reply subscribe(Call call, Kind kind) {
		call.from(1).forEach((name) -> call.server().subscriptions().subscribe(call.client(), kind, name));
		return Reply.NOTHING;
	}

	private static Reply unsubscribe(Call call, Kind kind) {
		Subscriptions subscriptions = call.server().subscriptions();
		List<String> names = (call.count() > 1) ? call.from(1) : subscriptions.names(call.client(), kind);
		names.forEach((name) -> subscriptions.unsubscribe(call.client(), kind, name));
		if (names.isEmpty()) {
			subscriptions.unsubscribe(call.client(), kind, null);
		}
		return Reply.NOTHING;
	}

	private static Reply pubsub(Call call) {
		Subscriptions subscriptions = call.server().subscriptions();
		return switch (call.lower(1)) {
			case "numsub" -> counts(call, Kind.CHANNEL);
			case "shardnumsub" -> counts(call, Kind.SHARD);
			case "numpat" -> {
				check(call, 2);
				yield Reply.of(subscriptions.names(Kind.PATTERN).size());
			}
			case "channels" -> Reply.ofTexts(subscriptions.names(Kind.CHANNEL));
			default -> throw unknownSubcommand(call);
		};
	}

	private static Reply counts(Call call, Kind kind) {
		List<Reply> counts = new ArrayList<>();
		for (String name : call.from(2)) {
			counts.add(new Reply.Bulk(name));
			counts.add(Reply.of(call.server().subscriptions().count(kind, name)));
		}
		return new Reply.Array(counts);
	}

	private static Reply time(Call call) {
		long now = call.server().micros();
		return Reply.ofAll(new Reply.Bulk(Long.toString(Math.floorDiv(now, 1_000_000L))),
				new Reply.Bulk(Long.toString(Math.floorMod(now, 1_000_000L))));
	}

	private static Reply info(Call call) {
		SmallRedis server = call.server();
		List<String> sections = (call.count() > 1)
				? call.from(1).stream().map((name) -> name.toLowerCase(Locale.ROOT)).toList() : List.of("all");
		StringBuilder info = new StringBuilder();
		for (String section : List.of("Server", "Clients", "Memory", "Persistence", "Replication", "Cluster",
				"Keyspace")) {
			if (sections.stream()
				.anyMatch((wanted) -> List.of("all", "everything", "default", section.toLowerCase(Locale.ROOT))
					.contains(wanted))) {
				info.append(info.isEmpty() ? "" : "\r\n").append("# ").append(section).append("\r\n");
				lines(section, server).forEach((line) -> info.append(line).append("\r\n"));
			}
		}
		return new Reply.Bulk(info.toString());
	}

	private static List<String> lines(String section, SmallRedis server) {
		return switch (section) {
			case "Server" ->
				List.of("redis_version:7.0.15", "redis_mode:" + ((server.cluster() != null) ? "cluster" : "standalone"),
						"run_id:" + server.runId(), "tcp_port:" + server.port());
			case "Clients" -> List.of("connected_clients:" + server.clientCount());
			case "Memory" -> List.of("maxmemory:" + (server.isMemoryFull() ? 1 : 0), "maxmemory_policy:noeviction");
			case "Persistence" -> List.of("loading:0");
			case "Replication" -> List.of("role:" + (server.isReplica() ? "slave" : "master"),
					"connected_slaves:" + server.replicas().size(), "master_replid:" + server.replicationId(),
					"master_replid2:" + server.formerReplicationId(), "master_repl_offset:" + server.offset());
			case "Cluster" -> List.of("cluster_enabled:" + ((server.cluster() != null) ? 1 : 0));
			default -> {
				int keys = server.keyspace().visible().size();
				yield (keys > 0) ? List.of("db0:keys=" + keys) : List.of();
			}
		};
	}

	private static Reply waitForReplicas(Call call) {
		if (call.server().isReplica()) {
			throw new Refusal("ERR WAIT cannot be used with replica instances. Please also note that since Redis 4.0 "
					+ "if a replica is configured to be writable (which is not the default) writes to replicas are "
					+ "just local and are not propagated.");
		}
		Numbers.integer(call.at(1));
		if (Numbers.integer(call.at(2), "ERR timeout is not an integer or out of range") < 0) {
			throw new Refusal("ERR timeout is negative");
		}
		return Reply.of(call.client().acknowledgements());
	}

	private static SmallCluster clusterOf(Call call) {
		SmallCluster cluster = call.server().cluster();
		if (cluster == null) {
			throw new Refusal("ERR This instance has cluster support disabled");
		}
		return cluster;
	}

	private static Reply cluster(Call call) {
		SmallCluster cluster = clusterOf(call);
		return switch (call.lower(1)) {
			case "slots" -> cluster.slots(call.server());
			case "keyslot" -> {
				check(call, 3);
				yield Reply.of(SmallCluster.slot(call.at(2)));
			}
			case "myid" -> new Reply.Bulk(call.server().nodeId());
			default -> throw call.unsupported();
		};
	}

	private static Reply asking(Call call) {
		clusterOf(call);
		call.client().setAsking(true);
		return Reply.OK;
	}

	// Only what tests of full memory need.
	private static Reply config(Call call) {
		if (call.count() != 4 || !"set".equals(call.lower(1)) || !"maxmemory".equals(call.lower(2))) {
			throw call.unsupported();
		}
		call.server().setMemoryFull(!"0".equals(call.at(3)));
		return Reply.OK;
	}

	private static Reply ping(Call call) {
		if (call.count() > 2) {
			throw new Refusal("ERR wrong number of arguments for 'ping' command");
		}
		if (!call.client().isPushed() && call.server().subscriptions().isSubscribed(call.client())) {
			return Reply.ofTexts(List.of("pong", (call.count() > 1) ? call.at(1) : ""));
		}
		return (call.count() > 1) ? new Reply.Bulk(call.at(1)) : new Reply.Status("PONG");
	}

	private static Reply select(Call call) {
		if (Numbers.integer(call.at(1)) != 0) {
			throw call.unsupported();
		}
		return Reply.OK;
	}

	private static Reply hello(Call call) {
		SmallClient client = call.client();
		if (call.count() > 1) {
			long version = Numbers.integer(call.at(1), "ERR Protocol version is not an integer or out of range");
			if (version != 2 && version != 3) {
				throw new Refusal("NOPROTO unsupported protocol version");
			}
			client.setPushed(version == 3);
		}
		List<Reply> pairs = List.of(new Reply.Bulk("server"), new Reply.Bulk("redis"), new Reply.Bulk("version"),
				new Reply.Bulk("7.0.15"), new Reply.Bulk("proto"), Reply.of(client.isPushed() ? 3 : 2),
				new Reply.Bulk("id"), Reply.of(client.id()), new Reply.Bulk("mode"),
				new Reply.Bulk((call.server().cluster() != null) ? "cluster" : "standalone"), new Reply.Bulk("role"),
				new Reply.Bulk(call.server().isReplica() ? "replica" : "master"), new Reply.Bulk("modules"),
				Reply.ofAll());
		return client.isPushed() ? new Reply.Pairs(pairs) : new Reply.Array(pairs);
	}

	private static Reply client(Call call) {
		switch (call.lower(1)) {
			case "setname" -> {
				check(call, 3);
				call.client().setName(call.at(2));
				return Reply.OK;
			}
			case "getname" -> {
				return call.client().name().isEmpty() ? Reply.NIL : new Reply.Bulk(call.client().name());
			}
			case "id" -> {
				return Reply.of(call.client().id());
			}
			default -> throw unknownSubcommand(call);
		}
	}

}
