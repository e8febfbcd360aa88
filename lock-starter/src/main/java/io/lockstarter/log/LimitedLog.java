// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.log;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.lockstarter.platform.Platform;
import io.lockstarter.platform.Timer;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Writes messages of one kind. The first is written at once, by the calling thread. Those
 * that follow within ten seconds are counted, and one line at the end of that time says
 * how many there were and names the first of their subjects. As long as messages keep
 * coming, there is one line every ten seconds. Thread-safe.
 *
 * @since 0.1
 */
public class LimitedLog {

	static final Duration WINDOW = Duration.ofSeconds(10);

	private static final int NAMED = 5;

	private final Log logger;

	private final Level level;

	private final String summary;

	private final Timer timer;

	// no monitor, which would pin a virtual thread
	private final ReentrantLock mutex = new ReentrantLock();

	private final Set<String> subjects = new LinkedHashSet<>();

	private boolean open;

	private long endsAt;

	private long left;

	LimitedLog(Log logger, Level level, String summary, Timer timer) {
		this.logger = logger;
		this.level = level;
		this.summary = summary;
		this.timer = timer;
	}

	/**
	 * Create a log of what may be of interest.
	 * @param logger where to write
	 * @param summary what to write of those that were left out
	 * @param timer tells the time, and writes what is not written at once
	 * @return the log
	 */
	public static LimitedLog infos(Log logger, String summary, Timer timer) {
		return new LimitedLog(logger, Level.INFO, summary, timer);
	}

	/**
	 * Create a log of warnings.
	 * @param logger where to write
	 * @param summary what to write of those that were left out, after their number and
	 * before the time, such as "more locks were lost"
	 * @return the log
	 */
	public static LimitedLog warnings(Log logger, String summary) {
		return warnings(logger, summary, Platform.system().logTimer());
	}

	/**
	 * Create a log of warnings.
	 * @param logger where to write
	 * @param summary what to write of those that were left out
	 * @param timer tells the time, and writes what is not written at once
	 * @return the log
	 */
	public static LimitedLog warnings(Log logger, String summary, Timer timer) {
		return new LimitedLog(logger, Level.WARN, summary, timer);
	}

	/**
	 * Create a log of errors.
	 * @param logger where to write
	 * @param summary what to write of those that were left out
	 * @return the log
	 */
	public static LimitedLog errors(Log logger, String summary) {
		return errors(logger, summary, Platform.system().logTimer());
	}

	/**
	 * Create a log of errors.
	 * @param logger where to write
	 * @param summary what to write of those that were left out
	 * @param timer tells the time, and writes what is not written at once
	 * @return the log
	 */
	public static LimitedLog errors(Log logger, String summary, Timer timer) {
		return new LimitedLog(logger, Level.ERROR, summary, timer);
	}

	public void write(String subject, Supplier<String> message) {
		write(subject, message, null);
	}

	/**
	 * Write a message, or count it.
	 * @param subject what it is about, such as a key
	 * @param message makes the message, if it is written
	 * @param cause what to write after it
	 */
	public void write(String subject, Supplier<String> message, @Nullable Throwable cause) {
		try {
			if (isFirst(subject)) {
				print(message.get(), cause);
			}
		}
		catch (Error ex) {
			// A process without memory writes less, and its locks go on.
		}
	}

	/**
	 * Write a message on another thread, or count it, for a caller that holds a mutex
	 * which a slow log must not keep.
	 */
	public void writeLater(String subject, Supplier<String> message, @Nullable Throwable cause) {
		try {
			if (isFirst(subject)) {
				schedule(() -> print(message.get(), cause), Duration.ZERO);
			}
		}
		catch (Error ex) {
			// as above
		}
	}

	/**
	 * Write what was counted so far, ahead of the end of its time.
	 */
	public void flush() {
		String line = summarize();
		if (line != null) {
			print(line, null);
		}
	}

	void print(String line, @Nullable Throwable cause) {
		switch (this.level) {
			case INFO -> this.logger.info(line, cause);
			case WARN -> this.logger.warn(line, cause);
			case ERROR -> this.logger.error(line, cause);
		}
	}

	private boolean isFirst(String subject) {
		this.mutex.lock();
		try {
			long now = this.timer.nanoTime();
			if (!this.open || (this.left == 0 && now - this.endsAt >= 0)) {
				this.open = true;
				this.endsAt = now + WINDOW.toNanos();
				return true;
			}
			if (this.left == 0) {
				schedule(this::flush, Duration.ofNanos(this.endsAt - now));
			}
			this.left++;
			if (this.subjects.size() <= NAMED) {
				this.subjects.add(subject);
			}
			return false;
		}
		finally {
			this.mutex.unlock();
		}
	}

	/**
	 * A process that can start no more threads writes less, and its locks go on.
	 */
	private void schedule(Runnable task, Duration delay) {
		try {
			this.timer.schedule(task, delay.toNanos());
		}
		catch (Error ex) {
			this.open = false;
		}
	}

	private @Nullable String summarize() {
		this.mutex.lock();
		try {
			if (this.left == 0) {
				return null;
			}
			long now = this.timer.nanoTime();
			String named = this.subjects.stream().limit(NAMED).collect(Collectors.joining("', '", "'", "'"));
			String line = "%d %s within %d s: %s%s".formatted(this.left, this.summary, WINDOW.toSeconds(), named,
					(this.subjects.size() > NAMED) ? " and others" : "");
			this.left = 0;
			this.subjects.clear();
			this.endsAt = now + WINDOW.toNanos();
			return line;
		}
		finally {
			this.mutex.unlock();
		}
	}

	enum Level {

		INFO, WARN, ERROR

	}

}
