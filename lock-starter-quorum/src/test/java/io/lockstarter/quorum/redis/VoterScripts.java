// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum.redis;

import java.time.Duration;

import io.lockstarter.redis.ScriptPart;

/**
 * The part of the script that servers of a quorum have, for tests of other packages.
 */
public final class VoterScripts {

	private VoterScripts() {
	}

	/**
	 * Return that of servers that abstain for so long.
	 */
	public static ScriptPart of(Duration abstention) {
		return new VoterScript(abstention);
	}

}
