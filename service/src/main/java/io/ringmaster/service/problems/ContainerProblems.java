package io.ringmaster.service.problems;

import org.apache.catalina.core.StandardHost;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;

/** Makes the container answer with problems instead of its own pages. */
@Component
@Order(Ordered.LOWEST_PRECEDENCE) // after Boot's own, so that the valve is the one that answers
class ContainerProblems implements WebServerFactoryCustomizer<TomcatServletWebServerFactory> {

  @Override
  public void customize(TomcatServletWebServerFactory factory) {
    factory.addConnectorCustomizers(connector -> connector.setMaxPostSize(FormFault.MOST_FIELDS));
    factory.addContextCustomizers(
        context -> {
          var host = (StandardHost) context.getParent();
          host.getPipeline().addValve(new ProblemValve());
          // Else the host would add its default one, which writes HTML, behind this one.
          host.setErrorReportValveClass(ProblemValve.class.getName());
        });
  }
}
