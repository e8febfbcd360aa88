// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.stage;

import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import jakarta.annotation.PreDestroy;

import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * The open pages. All are written to by one thread, in order; events that it cannot keep
 * up with are dropped, as the page lives on what is new.
 */
@Component
class EventStream {

	private static final int BACKLOG = 1000;

	private final Set<SseEmitter> pages = new CopyOnWriteArraySet<>();

	private final ThreadPoolExecutor sender = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS,
			new ArrayBlockingQueue<>(BACKLOG), (task) -> new Thread(task, "event-stream"),
			new ThreadPoolExecutor.DiscardPolicy());

	SseEmitter open() {
		SseEmitter page = new SseEmitter(0L);
		page.onCompletion(() -> this.pages.remove(page));
		page.onError((ex) -> this.pages.remove(page));
		this.pages.add(page);
		return page;
	}

	boolean isWatched() {
		return !this.pages.isEmpty();
	}

	void send(String kind, String json) {
		if (isWatched()) {
			this.sender.execute(() -> this.pages.forEach((page) -> send(page, kind, json)));
		}
	}

	private void send(SseEmitter page, String kind, String json) {
		try {
			page.send(SseEmitter.event().name(kind).data(json));
		}
		catch (IOException | IllegalStateException ex) {
			// The page was closed.
			this.pages.remove(page);
		}
	}

	/**
	 * End all streams, which would keep the web server from shutting down.
	 */
	@EventListener(ContextClosedEvent.class)
	void close() {
		this.pages.forEach(SseEmitter::complete);
	}

	@PreDestroy
	void stop() {
		this.sender.shutdownNow();
	}

}
