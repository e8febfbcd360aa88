// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor.key;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;

/**
 * Scope of the keys of a method: what they may refer to. No bean is created before a call
 * needs it.
 */
record KeyScope(AnnotatedMethod subject, ArgumentNames names, ConfigurableBeanFactory beans) {

}
