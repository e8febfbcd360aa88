// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

import io.lockstarter.redis.SimulatedStores;
import io.lockstarter.simulation.redis.Reply;

/**
 * Sentinels, each of which hears of another primary at a time of its own: from then on it
 * leads there, and says so once to whoever listens.
 */
final class Sentinels {

	private static final int STREAM = 51;

	private static final int COUNT = 2;

	// beyond those of the servers
	private static final int FIRST = 100;

	private static final long LONGEST_WAY = 500 * World.MILLI;

	private final Run run;

	private final SplittableRandom random;

	private final List<Host> hosts = new ArrayList<>();

	private long lastHeard;

	Sentinels(Run run, Host primary) {
		this.run = run;
		this.random = run.world().stream(STREAM, 0);
		for (int i = 0; i < COUNT; i++) {
			Host host = new Host(run.world(), FIRST + i, 1, 0, new Unseen());
			this.hosts.add(host);
			run.net().name(host.address(), host);
			names(host, primary);
		}
	}

	/**
	 * Return where they are.
	 */
	List<String> addresses() {
		return this.hosts.stream().map(Host::address).toList();
	}

	/**
	 * Let each of them hear of a new primary, in the order in which there were such.
	 */
	void elected(Host primary) {
		long latest = this.lastHeard;
		for (Host host : this.hosts) {
			long at = Math.max(this.lastHeard, this.run.world().now() + this.random.nextLong(LONGEST_WAY));
			latest = Math.max(latest, at);
			boolean heard = this.random.nextInt(4) != 0;
			this.run.world().at(at, "elected", null, () -> tell(host, primary, heard));
		}
		this.lastHeard = latest;
	}

	/**
	 * Say who is the primary, perhaps when nobody listens.
	 */
	private void tell(Host host, Host primary, boolean heard) {
		names(host, primary);
		if (this.run.world().isTracing()) {
			this.run.world()
				.trace("%s names %s as the primary%s".formatted(host, primary, heard ? "" : ", and is cut off"));
		}
		if (!heard) {
			this.run.instances().forEach((each) -> this.run.net().cut(this.run.net().pair(each.jvm(), host), -1));
		}
		String name = SimulatedStores.MASTER;
		host.command("PUBLISH", "+switch-master",
				"%s %s 1 %s %d".formatted(name, name, primary.host(), primary.port()));
	}

	private void names(Host host, Host primary) {
		this.run.net().name(SimulatedStores.primaryOf(host.host()), primary);
	}

	/**
	 * Nobody looks at what they execute.
	 */
	private static final class Unseen implements Host.Watcher {

		@Override
		public void before(Host host) {
		}

		@Override
		public void executed(Host host, Wire wire, List<byte[]> request, Reply reply) {
		}

	}

}
