// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.mutation;

import java.util.List;

/**
 * A part of the sources whose mutants are counted together.
 */
enum Room {

	ENGINE("engine"),

	LEADER("leader"),

	REDIS("redis"),

	CONNECTION("redis.connection"),

	QUORUM("quorum"),

	SCRIPTS("scripts");

	static final String ALL = "--topology one --topology failover --topology cluster --topology quorum";

	static final String VOTING = "--topology quorum";

	private final String label;

	Room(String label) {
		this.label = label;
	}

	static Room of(String label) {
		for (Room room : values()) {
			if (room.label.equals(label)) {
				return room;
			}
		}
		throw new IllegalArgumentException("No such room: " + label);
	}

	/**
	 * Return all mutants, with the options of the simulation that fit.
	 */
	List<GeneratedMutant> mutants() {
		return switch (this) {
			case ENGINE, REDIS -> JavaMutants.of(this.label, ALL);
			case LEADER -> JavaMutants.of(this.label, ALL + " --with leading");
			case CONNECTION -> JavaMutants.of(this.label, "--topology one --topology failover --topology cluster");
			case QUORUM -> JavaMutants.of(this.label, VOTING);
			case SCRIPTS -> LuaMutants.all();
		};
	}

	@Override
	public String toString() {
		return this.label;
	}

}
