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
package io.lockstarter.sample.instance;

import java.util.Optional;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.stereotype.Component;

/**
 * Ends this instance with the one that started it, however that ends.
 */
@Component
@ConditionalOnProperty("sale.parent")
class ParentWatch {

	ParentWatch(InstanceProperties properties) {
		Optional<ProcessHandle> parent = Optional.ofNullable(properties.parent()).flatMap(ProcessHandle::of);
		Thread watch = new Thread(() -> {
			parent.ifPresent((process) -> process.onExit().join());
			Runtime.getRuntime().exit(0);
		}, "parent-watch");
		watch.setDaemon(true);
		watch.start();
	}

}
