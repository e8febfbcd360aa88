// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.stage;

import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.springframework.http.MediaType;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;

/**
 * The buyers of one crowd, one after the other on as many threads as run this task. The
 * buyers of one thread all go to the same instance while it lives, so an instance that is
 * stopped holds up its own buyers and no others.
 */
final class BuyerTask implements Runnable {

	private static final Duration PATIENCE = Duration.ofSeconds(40);

	private final AtomicInteger next = new AtomicInteger();

	private final AtomicInteger threads = new AtomicInteger();

	private final CrowdRequest request;

	private final CrowdTally tally;

	private final Instances instances;

	private final RestClient client;

	BuyerTask(CrowdRequest request, CrowdTally tally, Instances instances) {
		this.request = request;
		this.tally = tally;
		this.instances = instances;
		JdkClientHttpRequestFactory connections = new JdkClientHttpRequestFactory(
				HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build());
		connections.setReadTimeout(PATIENCE);
		this.client = RestClient.builder().requestFactory(connections).build();
	}

	@Override
	public void run() {
		int thread = this.threads.getAndIncrement();
		for (int i = this.next.getAndIncrement(); i < this.request.buyers(); i = this.next.getAndIncrement()) {
			List<InstanceReport> living = this.instances.living();
			if (living.isEmpty()) {
				this.tally.countLost();
			}
			else {
				// Fewer threads than instances take turns, or some would sell nothing.
				int number = (this.request.atOnce() < living.size()) ? i : thread;
				buy(living.get(number % living.size()));
			}
		}
	}

	private void buy(InstanceReport instance) {
		try {
			PurchaseDesk.Receipt receipt = this.client.post()
				.uri("http://127.0.0.1:{port}/stage/purchases", instance.port())
				.contentType(MediaType.APPLICATION_JSON)
				.body(new PurchaseDesk.Purchase(this.request.protection(), this.request.thinkMillis()))
				.retrieve()
				.requiredBody(PurchaseDesk.Receipt.class);
			this.tally.count(receipt);
		}
		catch (RestClientException ex) {
			// The buyer cannot know whether the item was bought, and does not ask again.
			this.tally.countLost();
			this.instances.gone(instance);
		}
	}

}
