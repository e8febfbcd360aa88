// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import org.junit.jupiter.api.Test;

/**
 * What the script of one server does when one key of a lock outlives another.
 */
class LostKeysScriptTest extends LostKeys {

	@Test
	void nobodyIsConfirmedAfterAnotherWhicheverKeyVanishes() {
		explore(ScriptTexts.commands(this.settings, false), step("acquire+leave+join+grant", "w:1", "60000", "8"),
				step("release+join+grant", "w:1", "8"));
	}

}
