// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.lockstarter.LockSetupException;
import io.lockstarter.leader.LeaderElection;
import io.lockstarter.leader.LeaderElections;
import io.lockstarter.leader.LeadershipListener;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.ApplicationContext;

/**
 * What a context adds to the elections of its application, which may be those of a parent
 * context: roles, elections and listeners. The latter two are removed with the context.
 */
final class LeaderBeans implements SmartInitializingSingleton, DisposableBean {

	private final LeaderElections elections;

	private final ObjectProvider<LockProperties> properties;

	private final ApplicationContext context;

	private List<LeadershipListener> listeners = List.of();

	private List<LeaderElection> beans = List.of();

	LeaderBeans(LeaderElections elections, ObjectProvider<LockProperties> properties, ApplicationContext context) {
		this.elections = elections;
		this.properties = properties;
		this.context = context;
	}

	// Asks for the properties when they are bound for sure, whoever asks for this.
	@Override
	public void afterSingletonsInstantiated() {
		LockProperties properties = this.properties.getObject();
		LeaderAutoConfiguration.options(properties, this.context.getEnvironment());
		this.listeners = own(LeadershipListener.class);
		for (LeadershipListener listener : this.listeners) {
			this.elections.addListener(listener);
		}
		this.beans = own(LeaderElection.class);
		for (LeaderElection election : this.beans) {
			this.elections.add(election);
		}
		for (String role : properties.getLeader().getRoles()) {
			try {
				this.elections.addRole(role);
			}
			catch (IllegalArgumentException ex) {
				throw new LockSetupException(
						"Property 'distributed-lock.leader.roles' has a role that cannot be used: " + ex.getMessage(),
						"Say what the leader does, as in 'reports'", ex);
			}
		}
	}

	/**
	 * Return the beans of a type, without those that a parent context has added.
	 */
	private <T> List<T> own(Class<T> type) {
		List<T> inherited = LeaderAutoConfiguration.isInherited(this.context)
				? all(Objects.requireNonNull(this.context.getParent()).getBeanProvider(type)) : List.of();
		List<T> own = new ArrayList<>(all(this.context.getBeanProvider(type)));
		own.removeAll(inherited);
		return own;
	}

	private static <T> List<T> all(ObjectProvider<T> beans) {
		return beans.orderedStream().toList();
	}

	@Override
	public void destroy() {
		this.listeners.forEach(this.elections::removeListener);
		this.beans.forEach(this.elections::remove);
	}

}
