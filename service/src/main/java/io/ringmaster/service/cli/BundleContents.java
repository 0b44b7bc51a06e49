package io.ringmaster.service.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.constantpool.StringEntry;
import java.lang.classfile.constantpool.Utf8Entry;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which jars of a class path, and which modules of the JDK, some classes need: all that their class
 * files name, directly or through others, as a type, in a descriptor or as a text, and what
 * implements a service that is named.
 *
 * @param jars in the order of the class path
 * @param modules names, sorted
 */
record BundleContents(Set<Path> jars, Set<String> modules) {

  /** Modules whose classes are found by name at run time, so that no class file says so. */
  private static final Set<String> BY_REFLECTION =
      Set.of(
          "java.base",
          "java.management",
          "java.naming",
          "java.xml",
          "jdk.unsupported",
          "jdk.zipfs");

  private static final String CLASS = ".class";
  private static final String SERVICES = "META-INF/services/";
  private static final Pattern DESCRIBED = Pattern.compile("L([\\w/$]+);");
  private static final Pattern NAMED = Pattern.compile("[\\w$]+(?:[./][\\w$]+)+");

  /**
   * Follows classes.
   *
   * @param roots class names with slashes
   * @param excluded beginnings of class names with slashes that aren't followed
   */
  static BundleContents of(List<Path> classPath, List<String> roots, Set<String> excluded) {
    return new Walk(classPath, excluded).from(roots);
  }

  private static final class Walk {
    private final List<Path> classPath;
    private final Set<String> excluded;
    private final Map<String, Path> jarOf = new HashMap<>();

    /** Classes that implement a service, by the service's name with slashes. */
    private final Map<String, Set<String>> providers = new HashMap<>();

    private final Map<String, String> moduleOf = new HashMap<>();
    private final Set<String> seen = new HashSet<>();
    private final Deque<String> next = new ArrayDeque<>();
    private final Set<Path> jars = new HashSet<>();
    private final Set<String> modules = new TreeSet<>(BY_REFLECTION);

    Walk(List<Path> classPath, Set<String> excluded) {
      this.classPath = classPath;
      this.excluded = excluded;
    }

    BundleContents from(List<String> roots) {
      for (ModuleReference module : ModuleFinder.ofSystem().findAll()) {
        module
            .descriptor()
            .packages()
            .forEach(name -> moduleOf.put(name.replace('.', '/'), module.descriptor().name()));
      }
      classPath.forEach(this::index);
      roots.forEach(this::found);
      Map<Path, JarFile> open = new HashMap<>();
      try {
        for (String name = next.poll(); name != null; name = next.poll()) {
          Path jar = Objects.requireNonNull(jarOf.get(name), name);
          if (!open.containsKey(jar)) {
            open.put(jar, new JarFile(jar.toFile()));
          }
          follow(Objects.requireNonNull(open.get(jar), name), name);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } finally {
        open.values().forEach(Walk::close);
      }
      Set<Path> ordered = new LinkedHashSet<>(classPath);
      ordered.retainAll(jars);
      return new BundleContents(ordered, modules);
    }

    private static void close(JarFile jar) {
      try {
        jar.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private void index(Path jar) {
      try (var file = new JarFile(jar.toFile())) {
        for (JarEntry entry : (Iterable<JarEntry>) file.stream()::iterator) {
          String name = entry.getName();
          if (name.endsWith(CLASS)) {
            jarOf.putIfAbsent(name.substring(0, name.length() - CLASS.length()), jar);
          } else if (name.startsWith(SERVICES) && !entry.isDirectory()) {
            String text =
                new String(file.getInputStream(entry).readAllBytes(), StandardCharsets.UTF_8);
            text.lines()
                .map(line -> line.replaceFirst("#.*", "").strip().replace('.', '/'))
                .filter(line -> !line.isEmpty())
                .forEach(
                    line ->
                        providers
                            .computeIfAbsent(
                                name.substring(SERVICES.length()).replace('.', '/'),
                                _ -> new HashSet<>())
                            .add(line));
          }
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private void follow(JarFile jar, String name) throws IOException {
      byte[] bytes = jar.getInputStream(jar.getJarEntry(name + CLASS)).readAllBytes();
      for (PoolEntry entry : ClassFile.of().parse(bytes).constantPool()) {
        switch (entry) {
          case ClassEntry type -> found(type.asInternalName());
          case StringEntry text -> named(text.stringValue());
          case Utf8Entry text -> described(text.stringValue());
          default -> {}
        }
      }
    }

    private void described(String text) {
      for (Matcher type = DESCRIBED.matcher(text); type.find(); ) {
        found(type.group(1));
      }
    }

    private void named(String text) {
      if (text.length() < 200 && NAMED.matcher(text).matches()) {
        found(text.replace('.', '/'));
      }
    }

    private void found(String name) {
      if (!seen.add(name) || excluded.stream().anyMatch(name::startsWith)) {
        return;
      }
      int end = name.lastIndexOf('/');
      String module = end < 0 ? null : moduleOf.get(name.substring(0, end));
      if (module != null
          && ClassLoader.getPlatformClassLoader().getResource(name + CLASS) != null) {
        modules.add(module);
      }
      Path jar = jarOf.get(name);
      if (jar != null) {
        jars.add(jar);
        next.add(name);
      }
      providers.getOrDefault(name, Set.of()).forEach(this::found);
    }
  }
}
