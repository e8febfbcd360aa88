// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.lockstarter.quorum.redis.VoterScripts;

/**
 * What the script of a server of a quorum does when one key of a lock outlives another.
 */
class VoterLostKeysScriptTest extends LostKeys {

	@Override
	List<String> firstKeys() {
		return List.of(this.tag + "fence", this.tag + "server", this.tag + "joining");
	}

	@Test
	void nobodyIsConfirmedAfterAnotherWhicheverKeyVanishes() {
		this.connection.sync().set(this.tag + "server", "known");
		explore(ScriptTexts.commands(this.settings.withScriptPart(VoterScripts.of(Duration.ofMinutes(1))), false),
				step("acquire+leave+join", "w:1", "60000", "8"), step("raise", "w:1", "1"), step("abandon", "w:1", ""),
				step("abandon", "w:1", "alone"), step("raise", "r1:1", "1"), step("abandon", "r1:1", "shared"));
	}

}
