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
