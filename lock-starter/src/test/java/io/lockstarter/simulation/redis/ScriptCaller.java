// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation.redis;

import java.util.List;

/**
 * Executes what one script calls, by the rules for scripts; also by the one that it
 * touches no key but those that it was called with, which Redis trusts it to follow, and
 * others do not.
 */
final class ScriptCaller implements LuaScripts.Caller {

	static final String NO_MEMORY = "OOM command not allowed when used memory > 'maxmemory'.";

	static final String NOT_PERMITTED = "ERR The user executing the script can't access at least one of the keys mentioned in the command arguments";

	static final String UNDECLARED = "ERR script tried accessing undeclared key";

	static final String READ_ONLY = "READONLY You can't write against a read only replica.";

	private final SmallRedis server;

	private final SmallClient client;

	private final List<String> declared;

	// Redis looks once, when the script begins.
	private final boolean memoryFull;

	private boolean written;

	ScriptCaller(SmallRedis server, SmallClient client, List<String> keys) {
		this.server = server;
		this.client = client;
		this.declared = keys;
		this.memoryFull = server.isMemoryFull();
	}

	@Override
	public Reply call(List<String> arguments) {
		Command command = Command.of(arguments.get(0));
		if (command == null) {
			throw new Refusal("ERR Unknown Redis command called from script");
		}
		if (!command.fits(arguments.size())) {
			throw new Refusal("ERR Wrong number of args calling Redis command from script");
		}
		if (command.isForbiddenInScripts()) {
			throw new Refusal("ERR This Redis command is not allowed from script");
		}
		if (!command.keys().areChannels() && !this.declared.containsAll(command.keysOf(arguments))) {
			throw new Refusal(UNDECLARED);
		}
		if (command.writes() && command.keysOf(arguments).stream().anyMatch(this.server::isProtected)) {
			throw new Refusal(NOT_PERMITTED);
		}
		if (command.writes() && this.server.isReplica()) {
			throw new Refusal(READ_ONLY);
		}
		if (this.memoryFull && command.needsMemory() && !this.written) {
			throw new Refusal(NO_MEMORY);
		}
		// Even if it does nothing in the end.
		this.written |= command.writes();
		SmallCluster cluster = this.server.cluster();
		if (cluster != null) {
			checkSlot(cluster, command, command.keysOf(arguments));
		}
		return command.body().run(new Command.Call(this.server, this.client, arguments));
	}

	private void checkSlot(SmallCluster cluster, Command command, List<String> keys) {
		if (keys.isEmpty()) {
			return;
		}
		try {
			cluster.check(this.server, this.client, command, keys);
		}
		catch (Refusal ex) {
			throw new Refusal(ex.message().startsWith("CLUSTERDOWN")
					? "ERR Script attempted to execute a command while the cluster is down"
					: "ERR Script attempted to access a non local key in a cluster node");
		}
	}

}
