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
package io.lockstarter.store;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.AcquireAllReply;

/**
 * What a store does that cannot take several keys in one step, for tests of other
 * packages.
 */
public final class KeyByKey {

	private KeyByKey() {
	}

	public static CompletableFuture<AcquireAllReply> acquire(LockStore store, List<Acquire> commands) {
		return KeyByKeyAcquisition.start(store, commands);
	}

}
