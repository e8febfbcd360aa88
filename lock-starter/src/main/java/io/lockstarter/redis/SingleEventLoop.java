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
package io.lockstarter.redis;

import java.lang.reflect.Proxy;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.EventLoopGroupProvider;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.Future;

import org.springframework.util.Assert;
import org.springframework.util.ReflectionUtils;

/**
 * {@link EventLoopGroupProvider} of one of the application's event loops, for all
 * connections of a client: the thread that receives the signal of a release also sends
 * the command that acquires, and no other has to wake up for that.
 */
final class SingleEventLoop implements EventLoopGroupProvider {

	private final EventLoopGroupProvider application;

	private SingleEventLoop(EventLoopGroupProvider application) {
		this.application = application;
	}

	/**
	 * Return resources that differ from those of the application in nothing else. Changed
	 * copies of them would publish the metrics of the application a second time.
	 */
	static ClientResources of(ClientResources application) {
		EventLoopGroupProvider single = new SingleEventLoop(application.eventLoopGroupProvider());
		return (ClientResources) Proxy.newProxyInstance(SingleEventLoop.class.getClassLoader(),
				new Class<?>[] { ClientResources.class },
				(proxy, method, arguments) -> method.getName().equals("eventLoopGroupProvider") ? single
						: ReflectionUtils.invokeMethod(method, application, arguments));
	}

	@Override
	@SuppressWarnings("unchecked")
	public <T extends EventLoopGroup> T allocate(Class<T> type) {
		// Lettuce needs no more of it than that it is an EventLoopGroup.
		return (T) this.application.allocate(type).next();
	}

	@Override
	public int threadPoolSize() {
		return 1;
	}

	@Override
	public Future<Boolean> release(EventExecutorGroup group, long quietPeriod, long timeout, TimeUnit unit) {
		EventLoopGroup parent = ((EventLoop) group).parent();
		Assert.state(parent != null, "The event loop has no group");
		return this.application.release(parent, quietPeriod, timeout, unit);
	}

	@Override
	public Future<Boolean> shutdown(long quietPeriod, long timeout, TimeUnit unit) {
		throw new UnsupportedOperationException("The event loops belong to the application");
	}

}
