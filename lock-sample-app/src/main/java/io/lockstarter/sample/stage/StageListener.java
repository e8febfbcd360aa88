// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.stage;

import java.nio.charset.StandardCharsets;

import io.lockstarter.sample.instance.Instance;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.stereotype.Component;

import tools.jackson.databind.json.JsonMapper;

/**
 * Hears what the instances tell each other, and passes it on to the pages.
 */
@Component
class StageListener implements MessageListener {

	private final EventStream stream;

	private final Instances instances;

	private final Instance instance;

	private final Mishaps mishaps;

	private final CrowdService crowds;

	private final JsonMapper json;

	StageListener(EventStream stream, Instances instances, Instance instance, Mishaps mishaps, CrowdService crowds,
			JsonMapper json) {
		this.stream = stream;
		this.instances = instances;
		this.instance = instance;
		this.mishaps = mishaps;
		this.crowds = crowds;
		this.json = json;
	}

	@Override
	public void onMessage(Message message, byte @Nullable [] pattern) {
		String channel = new String(message.getChannel(), StandardCharsets.UTF_8);
		String kind = channel.substring(Stage.CHANNEL_PREFIX.length());
		String body = new String(message.getBody(), StandardCharsets.UTF_8);
		if ("instance".equals(kind)) {
			InstanceReport report = this.json.readValue(body, InstanceReport.class);
			this.instances.heard(report);
			this.crowds.heard(report);
		}
		else if ("mishap".equals(kind)) {
			MishapOrder order = this.json.readValue(body, MishapOrder.class);
			if (order.instance().equals(this.instance.name())) {
				this.mishaps.prepare(order.mishap());
			}
		}
		this.stream.send(kind, body);
	}

}
