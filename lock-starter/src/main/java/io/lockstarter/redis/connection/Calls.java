// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

/**
 * The calls of a script. Immutable.
 *
 * @param byDigest how a call begins
 * @param inFull how a call begins that sends the script along
 * @param apart whether they go over a connection beside that of other calls
 */
record Calls(BatchScript script, ScriptCall byDigest, ScriptCall inFull, boolean apart) {

	Calls(BatchScript script, boolean apart) {
		this(script, new ScriptCall(script.head(false), script.firstKeys()),
				new ScriptCall(script.head(true), script.firstKeys()), apart);
	}

	ScriptCall call(boolean whole) {
		return whole ? this.inFull : this.byDigest;
	}

}
