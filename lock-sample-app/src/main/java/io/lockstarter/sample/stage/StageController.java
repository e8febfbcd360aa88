// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.stage;

import java.io.IOException;
import java.util.List;

import io.lockstarter.sample.instance.InstanceLauncher;

import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * What the page asks for.
 */
@RestController
@RequestMapping("/stage")
class StageController {

	private static final int RESULTS = 12;

	private final EventStream stream;

	private final CrowdService crowds;

	private final CrowdRepository results;

	private final PurchaseDesk desk;

	private final Instances instances;

	private final InstanceLauncher launcher;

	private final Stage stage;

	StageController(EventStream stream, CrowdService crowds, CrowdRepository results, PurchaseDesk desk,
			Instances instances, InstanceLauncher launcher, Stage stage) {
		this.stream = stream;
		this.crowds = crowds;
		this.results = results;
		this.desk = desk;
		this.instances = instances;
		this.launcher = launcher;
		this.stage = stage;
	}

	@GetMapping("/events")
	SseEmitter events() {
		return this.stream.open();
	}

	@GetMapping("/crowds")
	List<CrowdReport> crowds() {
		return this.results.last(RESULTS);
	}

	@PostMapping("/crowds")
	@ResponseStatus(HttpStatus.ACCEPTED)
	void send(@RequestBody CrowdRequest request) throws InterruptedException {
		if (!this.crowds.send(request)) {
			throw new IllegalStateException("Another crowd is still shopping");
		}
	}

	@PostMapping("/purchases")
	PurchaseDesk.Receipt buy(@RequestBody PurchaseDesk.Purchase purchase) {
		return this.desk.buy(purchase);
	}

	@PostMapping("/instances")
	@ResponseStatus(HttpStatus.ACCEPTED)
	Launch launch() throws IOException {
		return new Launch(this.launcher.launch());
	}

	@PostMapping("/instances/{name}/{mishap}")
	@ResponseStatus(HttpStatus.ACCEPTED)
	void befall(@PathVariable String name, @PathVariable Mishap mishap) {
		InstanceReport instance = this.instances.living()
			.stream()
			.filter((living) -> living.name().equals(name))
			.findAny()
			.orElseThrow(() -> new IllegalStateException("Nothing is heard of instance " + name));
		if (instance.host()) {
			throw new IllegalStateException("The Redis or the database of the sale end with instance " + name);
		}
		if (!this.stage.publish("mishap", new MishapOrder(name, mishap))) {
			throw new RedisConnectionFailureException("No instance can be told: Redis cannot be reached");
		}
	}

	/**
	 * An instance that starts.
	 *
	 * @param process its process id
	 */
	record Launch(long process) {
	}

	@ExceptionHandler
	ResponseEntity<ProblemDetail> conflict(IllegalStateException ex) {
		return ResponseEntity.of(ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, String.valueOf(ex.getMessage())))
			.build();
	}

}
