// SPDX-License-Identifier: Apache-2.0
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
