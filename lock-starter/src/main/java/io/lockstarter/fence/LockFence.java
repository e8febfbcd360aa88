// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.fence;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

import javax.sql.DataSource;

import io.lockstarter.Lease;
import io.lockstarter.LockLostException;
import io.lockstarter.LockScope;
import io.lockstarter.LockedAction;
import io.lockstarter.LossCause;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.JdbcTransactionObjectSupport;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Fence of a database against whoever lost a lock and does not know it, because it was
 * stopped. The table has a row for each key, with the largest fencing token that has
 * claimed it. A transaction that claims a row keeps it locked up to its end; a smaller
 * token cannot claim it any more.
 * <p>
 * Annotated methods say {@code fence = Fence.TRANSACTION}. This is for locks that are
 * acquired in code: <pre>{@code
 * registry.call("stock:42", (scope) -> fence.call(scope, (same) -> transaction.execute(
 *         (status) -> stock.sell(42))));
 * }</pre>
 * <p>
 * Leases have to be exclusive: of several that share a key, or have permits of it, the
 * smaller token is refused.
 * <p>
 * Thread-safe.
 *
 * @since 0.1
 */
public final class LockFence {

	// One for each fence, of which an application may have several.
	@SuppressWarnings("ThreadLocalUsage")
	private final ThreadLocal<@Nullable FencedSection> current = new ThreadLocal<>();

	private final FenceTable table;

	private final String prefix;

	/**
	 * Create the fence of a database, which is not asked anything until it is needed.
	 * @param dataSource supplies the {@code DataSource} of the transactions
	 * @param table the name of the table, perhaps with that of its schema
	 * @param prefix what the names of rows have before the key and a colon
	 */
	public LockFence(Supplier<? extends DataSource> dataSource, String table, String prefix) {
		this.table = new FenceTable(table, dataSource);
		this.prefix = prefix;
	}

	/**
	 * Run an action whose transactions claim the rows of a scope: each one that begins on
	 * this thread, on the fenced {@code DataSource}, before its first statement. One that
	 * is late is rolled back and fails with {@link LockLostException} where it begins. It
	 * waits for another one that has claimed the row, up to its timeout.
	 * @param scope the leases, which are held
	 * @param action what to run
	 * @param <T> the type of the result
	 * @param <X> what the action may throw
	 * @return the result of the action
	 * @throws X if the action does
	 * @throws IllegalStateException if a transaction has begun before, in which the
	 * action would run; if the action has returned and no transaction has begun; and
	 * where one begins that is read-only, or on another {@code DataSource} and not
	 * read-only
	 */
	public <T extends @Nullable Object, X extends Throwable> T call(LockScope scope, LockedAction<T, X> action)
			throws X {
		scope.leases().forEach(this::rowOf);
		FencedSection outer = this.current.get();
		FencedSection section = new FencedSection(outer, scope.leases());
		if (isInTransaction()) {
			if (!section.unclaimed().isEmpty()) {
				throw new IllegalStateException("A transaction began before the fenced lock of " + keys(scope.leases())
						+ ", so it may have read what has changed since: begin it under the lock");
			}
			section.use();
		}
		this.current.set(section);
		try {
			T result = action.run(scope);
			if (!section.isUsed()) {
				throw new IllegalStateException("Nothing was fenced under the lock of " + keys(scope.leases())
						+ ", as no transaction began on the fenced DataSource: add @Transactional or use a "
						+ "TransactionTemplate, or leave the fence out");
			}
			return result;
		}
		finally {
			restore(outer);
		}
	}

	private void restore(@Nullable FencedSection outer) {
		if (outer != null) {
			this.current.set(outer);
		}
		else {
			this.current.remove();
		}
	}

	/**
	 * Claim the row of a lease in the current transaction, for whoever begins it without
	 * {@link #call}. To be done before anything is read that the transaction depends on.
	 * @param lease the lease, an exclusive one
	 * @throws LockLostException if a newer holder was here before; the transaction is to
	 * be rolled back
	 * @throws IllegalStateException if there is no transaction on the fenced
	 * {@code DataSource}
	 */
	public void claim(Lease lease) {
		if (!isInTransaction()) {
			throw new IllegalStateException(
					"The lock '%s' can only be claimed in a transaction on the fenced DataSource"
						.formatted(lease.key()));
		}
		claimRow(lease);
	}

	private void claimRow(Lease lease) {
		if (!this.table.claim(rowOf(lease), lease.fencingToken())) {
			throw new LockLostException(lease.key(), lease.fencingToken(), LossCause.TAKEN,
					"the database has seen a larger token, so another holder was there");
		}
	}

	/**
	 * Delete the rows of keys that nobody has claimed for a time. A holder that was
	 * stopped for longer than that may write again.
	 * @param pause the longest time for which a holder may be stopped
	 * @return how many rows are gone
	 */
	public int purge(Duration pause) {
		return this.table.purge(pause);
	}

	/**
	 * Make the table, unless there is one of its name.
	 * @throws io.lockstarter.LockSetupException if it cannot be made
	 */
	public void createTable() {
		this.table.create();
	}

	/**
	 * Look whether the table is there.
	 * @throws io.lockstarter.LockSetupException if it is not, or has other columns
	 */
	public void checkTable() {
		this.table.check();
	}

	/**
	 * Return the listener that a transaction manager needs.
	 * @param manager the manager
	 * @return its listener, which equals others of that manager
	 */
	public TransactionExecutionListener listener(AbstractPlatformTransactionManager manager) {
		return new FencedTransactions(this, manager);
	}

	boolean isInUse() {
		return this.current.get() != null;
	}

	/**
	 * A transaction has begun on this thread.
	 */
	void begun(TransactionExecution transaction, JdbcTransactionObjectSupport jdbc) {
		FencedSection section = this.current.get();
		if (section == null) {
			return;
		}
		boolean fenced = jdbc.hasConnectionHolder()
				&& jdbc.getConnectionHolder() == TransactionSynchronizationManager.getResource(this.table.dataSource());
		List<Lease> unclaimed = section.unclaimed();
		if (!fenced) {
			if (!transaction.isReadOnly()) {
				throw new IllegalStateException(describe(transaction)
						+ " is not on the DataSource that fences its lock, so its writes cannot be refused: "
						+ "name that DataSource in 'distributed-lock.fence.data-source', or begin it outside of the lock");
			}
			return;
		}
		section.use();
		if (!unclaimed.isEmpty() && transaction.isReadOnly()) {
			throw new IllegalStateException(describe(transaction) + " is read-only, so it cannot claim "
					+ keys(unclaimed) + ": read in the transaction that writes, or leave readOnly out");
		}
		unclaimed.forEach(this::claimRow);
		section.claimed(unclaimed, transaction);
	}

	void ended(TransactionExecution transaction) {
		FencedSection section = this.current.get();
		if (section != null) {
			section.ended(transaction);
		}
	}

	private boolean isInTransaction() {
		return TransactionSynchronizationManager.isActualTransactionActive()
				&& TransactionSynchronizationManager.hasResource(this.table.dataSource());
	}

	private String rowOf(Lease lease) {
		String row = this.prefix + ":" + lease.key();
		if (row.length() > FenceTable.NAME_LENGTH) {
			throw new IllegalStateException(
					"The key '%s' cannot be fenced: with its prefix it has %d characters, and %d at most fit into the table. Use an identifier or a hash"
						.formatted(lease.key(), row.length(), FenceTable.NAME_LENGTH));
		}
		return row;
	}

	private static String keys(List<Lease> leases) {
		return "'" + String.join("', '", leases.stream().map(Lease::key).toList()) + "'";
	}

	private static String describe(TransactionExecution transaction) {
		String name = transaction.getTransactionName();
		return name.isEmpty() ? "A transaction" : "Transaction '" + name + "'";
	}

}
