// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.fence;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * A {@code DataSource} that knows how many of its connections were not given back.
 */
class OpenConnections extends DelegatingDataSource {

	private final AtomicInteger open = new AtomicInteger();

	OpenConnections(DataSource target) {
		super(target);
	}

	int open() {
		return this.open.get();
	}

	@Override
	public Connection getConnection() throws SQLException {
		Connection connection = super.getConnection();
		this.open.incrementAndGet();
		return (Connection) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Connection.class },
				(proxy, method, arguments) -> {
					if (method.getName().equals("close") && !connection.isClosed()) {
						this.open.decrementAndGet();
					}
					try {
						return method.invoke(connection, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

}
