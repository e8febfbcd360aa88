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
package io.lockstarter.simulation;

import java.util.EnumSet;
import java.util.Set;

/**
 * What servers there are.
 */
enum Topology {

	/**
	 * One server.
	 */
	ONE(1),

	/**
	 * A primary with a replica that may take its place, behind one name.
	 */
	FAILOVER(2),

	/**
	 * Primaries that share the slots.
	 */
	CLUSTER(3),

	/**
	 * Servers that vote.
	 */
	QUORUM(3);

	final int servers;

	Topology(int servers) {
		this.servers = servers;
	}

	/**
	 * Return what can go wrong.
	 */
	Set<Fault> faults() {
		Set<Fault> faults = EnumSet.of(Fault.CUT, Fault.GHOSTS, Fault.PARTITION, Fault.HALF_PARTITION, Fault.FREEZE,
				Fault.REFUSE, Fault.PAUSE, Fault.STALL, Fault.CRASH, Fault.STOP, Fault.CLOCK_RATE, Fault.FLUSH_SCRIPTS,
				Fault.OOM, Fault.FORCE);
		faults.addAll(switch (this) {
			case ONE -> EnumSet.of(Fault.RESTART, Fault.FORGET, Fault.FLUSH, Fault.OLD_SNAPSHOT, Fault.CLOCK_FORWARD,
					Fault.CLOCK_BACK);
			case FAILOVER -> EnumSet.of(Fault.PROMOTE, Fault.PROMOTE_ALIVE);
			case CLUSTER -> EnumSet.of(Fault.MOVE_SLOT);
			case QUORUM -> EnumSet.of(Fault.RESTART, Fault.FORGET, Fault.FLUSH, Fault.OLD_SNAPSHOT);
		});
		return faults;
	}

}
