// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import io.lettuce.core.ConnectionBuilder;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.pubsub.PubSubCommandHandler;
import io.lettuce.core.pubsub.PubSubEndpoint;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnectionImpl;

/**
 * Decodes the replies of a connection that has commands and messages.
 * <p>
 * With version 2 of the protocol, a message may come where a reply is expected. So
 * Lettuce decodes each reply into a copy, and takes an array that begins with "message"
 * for a message. With version 3, messages are marked as such, and replies are decoded as
 * those of any connection.
 */
final class PushCommandHandler extends PubSubCommandHandler<String, String> {

	private final StatefulRedisPubSubConnectionImpl<String, String> connection;

	private PushCommandHandler(ConnectionBuilder builder, StatefulRedisPubSubConnectionImpl<String, String> connection,
			PubSubEndpoint<String, String> endpoint) {
		super(builder.clientOptions(), builder.clientResources(), StringCodec.UTF8, endpoint);
		this.connection = connection;
	}

	/**
	 * Have replies decoded so, if this is a connection with messages.
	 * @param builder of a connection
	 */
	@SuppressWarnings("unchecked")
	static void apply(ConnectionBuilder builder) {
		if (builder.connection() instanceof StatefulRedisPubSubConnectionImpl<?, ?> connection
				&& builder.endpoint() instanceof PubSubEndpoint<?, ?> endpoint) {
			builder.commandHandler(() -> new PushCommandHandler(builder,
					(StatefulRedisPubSubConnectionImpl<String, String>) connection,
					(PubSubEndpoint<String, String>) endpoint));
		}
	}

	@Override
	protected CommandOutput<?, ?, ?> getCommandOutput(RedisCommand<?, ?, ?> command) {
		boolean pushes = this.connection.getConnectionState().getNegotiatedProtocolVersion() == ProtocolVersion.RESP3;
		return pushes ? command.getOutput() : super.getCommandOutput(command);
	}

}
